/* What the files of the cuda backend share: the opened GPU. */
#ifndef DEVICE_CUDA_CUDA_H
#define DEVICE_CUDA_CUDA_H

#include <cuda_runtime_api.h>

#include "device/cuda/kernels.h"
#include "device/device.h"
#include "machine/nvml.h"

enum { SETTINGS = 4 };      /* that a device has one of for everybody */
enum { BLOCK_SAMPLES = 8 }; /* enqueued between two synchronisations, at most */

/* Another GPU, as base.others has them. */
struct cuda_other {
  int ordinal;
  bool used; /* something was made there */
  cudaStream_t stream;
};

struct cuda_device {
  struct device base;    /* first: a struct device * is one of these */
  struct device_ops ops; /* what `base` points to: not every device launches clusters */
  int ordinal;
  bool serial;               /* CUDA_LAUNCH_BLOCKING: launches wait, so nothing can be held back, nor timed */
  cudaStream_t stream, side; /* side: to look at memory while the other is held back */
  cudaEvent_t started[BLOCK_SAMPLES], stopped[BLOCK_SAMPLES];
  struct scan *scan;            /* on the device */
  struct gate *gate;            /* page-locked */
  struct clock_reading *clocks; /* page-locked: at a slot's begin and end */
  uint64_t *nothing;            /* on the device, as variants' outputs are: what empty launches write */
  uint64_t closings;
  void *flush;   /* read to empty the L2 cache */
  void *staging; /* page-locked */
  size_t staging_bytes;
  size_t flush_bytes;
  uint64_t settings[SETTINGS]; /* as they were when it was opened */
  struct cuda_other *others;
  struct slot_state state; /* as NVML told last */
  int64_t state_ns;        /* and when */
  struct nvml *nvml;       /* NULL: not available, for the reason in nvml_why */
  char nvml_why[TEXT_SIZE];
  void *attribute; /* the driver's cuPointerGetAttribute(); NULL: not found */
};

/* 0 for cudaSuccess; otherwise records the fault's text and name and returns -1. */
int cuda_check(cudaError_t code, struct err *err);

/* 0, or -1 when enqueueing failed with `code` or the work itself did. */
int cuda_finish(struct cuda_device *cuda, cudaError_t code, struct err *err);

extern const struct device_ops cuda_ops;

/* device/cuda/slot.c */
enum slot_result cuda_slot(struct device *device, const struct slot_request *request, double *ns,
                           struct slot_state *state, struct err *err);

/* A launch that does nothing; -1: it failed. */
int cuda_nothing(struct device *device, uint32_t shape);

/* device/cuda/settings.c */
void cuda_settings_take(struct cuda_device *cuda);
bool cuda_restore(struct device *device, char *text, size_t size);

/* device/cuda/others.c: that there are so many GPUs in all; their facts are the caller's. */
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

/* The step of event times: the smallest difference seen between intervals of back-to-back events. */
int cuda_measure_tick(struct cuda_device *cuda, double *tick_ns, struct err *err);

#endif
