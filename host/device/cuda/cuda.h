/* The opened GPU, shared by the files of the cuda backend. */
#pragma once

#include <cuda_runtime_api.h>

#include "device/cuda/kernels.h"
#include "device/device.h"
#include "machine/nvml.h"

enum { SETTINGS = 4 };      /* settings of the device that all code on it shares */
enum { BLOCK_SAMPLES = 8 }; /* enqueued between two synchronizations, at most */

/* Another GPU, at the same index as in base.others. */
struct cuda_other {
  int ordinal;
  bool used; /* memory or a stream was created there */
  cudaStream_t stream;
};

struct cuda_device {
  struct device base;    /* first, so that a struct device * can be cast */
  struct device_ops ops; /* what `base` points to: not every device can launch clusters */
  int ordinal;
  bool serial;               /* CUDA_LAUNCH_BLOCKING is set: launches wait, so nothing can be held back or timed */
  cudaStream_t stream, side; /* side: reads memory while the other is held back */
  cudaEvent_t started[BLOCK_SAMPLES], stopped[BLOCK_SAMPLES];
  struct scan *scan;            /* on the device */
  struct gate *gate;            /* page-locked */
  struct clock_reading *clocks; /* page-locked: at the begin and end of a slot */
  uint64_t *nothing;            /* in device memory, like variants' outputs: written by empty launches */
  uint64_t closings;
  void *flush;   /* read to empty the L2 cache */
  void *staging; /* page-locked */
  size_t staging_bytes;
  size_t flush_bytes;
  uint64_t settings[SETTINGS]; /* as they were when the device was opened */
  struct cuda_other *others;
  struct slot_state state; /* the last answers of NVML */
  int64_t state_ns;        /* when they were read */
  struct nvml *nvml;       /* NULL: not available, with the reason in nvml_why */
  char nvml_why[TEXT_SIZE];
  void *attribute; /* the driver's cuPointerGetAttribute(); NULL: not found */
};

/* Returns 0 for cudaSuccess; otherwise records the fault's text and name and returns -1. */
int cuda_check(cudaError_t code, struct err *err);

/* Waits for the stream. Returns 0, or -1 if enqueueing failed with `code` or the work itself failed. */
int cuda_finish(struct cuda_device *cuda, cudaError_t code, struct err *err);

extern const struct device_ops cuda_ops;

/* device/cuda/slot.c */
enum slot_result cuda_slot(struct device *device, const struct slot_request *request, double *ns,
                           struct slot_state *state, struct err *err);

/* Enqueues an empty launch; -1: it failed. */
int cuda_nothing(struct device *device, uint32_t shape);

/* device/cuda/settings.c */
void cuda_settings_take(struct cuda_device *cuda);
bool cuda_restore(struct device *device, char *text, size_t size);

/* device/cuda/others.c. `count` GPUs in all; the caller fills in the facts of the others. */
void cuda_others_count(struct cuda_device *cuda, int count);
void *cuda_other_alloc(struct device *device, uint32_t other, size_t bytes);
void *cuda_other_stream(struct device *device, uint32_t other);
int cuda_others_sync(struct cuda_device *cuda, struct err *err);
void cuda_others_free(struct cuda_device *cuda);

/* device/cuda/capture.c */
enum slot_result cuda_capture(struct device *device, const struct slot_request *request, struct capture **capture,
                              uint32_t *kernels, uint32_t *allocations, struct err *err);
void cuda_capture_free(struct capture *capture);
cudaError_t cuda_replay(const struct capture *capture, cudaStream_t stream);

/* device/cuda/absent.c */
void cuda_absent_open(struct cuda_device *cuda);
const char *cuda_absent(struct device *device, const void *memory, size_t bytes, uint64_t key);

/* Measures the step of event times: the smallest difference between the intervals of consecutive events. */
int cuda_measure_tick(struct cuda_device *cuda, double *tick_ns, struct err *err);
