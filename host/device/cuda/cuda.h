/* The opened GPU, shared by the files of the cuda backend. */
#pragma once

#include <cuda_runtime_api.h>

#include "device/cuda/kernels.h"
#include "device/device.h"
#include "machine/nvml.h"

enum { SETTINGS = 4 };      /* number of device settings that all code on the device shares and a plugin could change */
enum { BLOCK_SAMPLES = 8 }; /* the most samples that are enqueued between two synchronizations */

/* Another GPU, for cases that use several devices. It has the same index in `others` as in base.others. */
struct cuda_other {
  int ordinal;
  bool used; /* true if memory or a stream was created on this GPU */
  cudaStream_t stream;
};

struct cuda_device {
  struct device base; /* first, so that a struct device * can be cast */
  /* the table that `base` points to; a copy of cuda_ops whose null_shapes depends on whether this GPU can launch
   * clusters */
  struct device_ops ops;
  int ordinal;
  /* true if CUDA_LAUNCH_BLOCKING is set: each launch then waits for its work, so work can neither be held back by the
   * gate nor be timed */
  bool serial;
  cudaStream_t stream, side; /* `stream` is for all work; `side` is for reading memory while `stream` is held back */
  cudaEvent_t started[BLOCK_SAMPLES], stopped[BLOCK_SAMPLES];
  struct scan *scan; /* result of the last scan; in device memory */
  /* the gate (see struct gate) that holds `stream` back; in page-locked host memory */
  struct gate *gate;
  /* clock readings before and after a series of samples; in page-locked host memory */
  struct clock_reading *clocks;
  /* output of the kernel that empty launches run; in device memory, like the outputs of variants */
  uint64_t *nothing;
  uint64_t closings;
  /* number of shuffles enqueued so far, from which slot.c computes the length of the queue */
  uint32_t shuffles;
  void *flush;   /* buffer that is read to empty the L2 cache */
  void *staging; /* buffer for fast copies; in page-locked host memory */
  size_t staging_bytes;
  size_t flush_bytes;
  uint64_t settings[SETTINGS]; /* values of the settings when the device was opened */
  struct cuda_other *others;
  struct slot_state state; /* the values that NVML returned last */
  int64_t state_ns;        /* when NVML was last asked for the values in `state` */
  struct nvml *nvml;       /* NULL: NVML is not available, and nvml_why has the reason */
  char nvml_why[TEXT_SIZE];
  void *attribute; /* the driver's cuPointerGetAttribute(); NULL: not found */
};

/* Returns 0 for cudaSuccess; otherwise sets `err` to the text and the name of the CUDA error and returns -1. */
int cuda_check(cudaError_t code, struct err *err);

/* Waits for the stream. Returns -1 if `code`, the result of enqueueing, is an error, or if the work itself failed. */
int cuda_finish(struct cuda_device *cuda, cudaError_t code, struct err *err);

extern const struct device_ops cuda_ops;

/* Defined in device/cuda/slot.c: takes the consecutive samples of one variant, as device_ops.slot. */
enum slot_result cuda_slot(struct device *device, const struct slot_request *request, double *ns,
                           struct slot_state *state, struct err *err);

/* Enqueues an empty launch of the shape with this number (see struct null_launch). Returns -1 if that failed. */
int cuda_nothing(struct device *device, uint32_t shape);

/* Defined in device/cuda/settings.c: cuda_settings_take() stores the values of the device's settings; cuda_restore()
 * restores those that were changed since. */
void cuda_settings_take(struct cuda_device *cuda);
bool cuda_restore(struct device *device, char *text, size_t size);

/* Defined in device/cuda/others.c: functions for the other GPUs. `count` is the number of all GPUs. cuda_others_count()
 * leaves it to the caller to fill in the facts of the other GPUs. */
void cuda_others_count(struct cuda_device *cuda, int count);
void *cuda_other_alloc(struct device *device, uint32_t other, size_t bytes);
void *cuda_other_stream(struct device *device, uint32_t other);
int cuda_others_sync(struct cuda_device *cuda, struct err *err);
void cuda_others_free(struct cuda_device *cuda);

/* Defined in device/cuda/capture.c: capture iterations (calls of a variant's `run`) into a graph, and replay it. */
enum slot_result cuda_capture(struct device *device, const struct slot_request *request, struct capture **capture,
                              uint32_t *kernels, uint32_t *allocations, struct err *err);
void cuda_capture_free(struct capture *capture);
cudaError_t cuda_replay(const struct capture *capture, cudaStream_t stream);

/* Defined in device/cuda/absent.c: detects device memory that was replaced. */
void cuda_absent_open(struct cuda_device *cuda);
const char *cuda_absent(struct device *device, const void *memory, size_t bytes, uint64_t key);

/* Measures the resolution of event times: times many samples without work, and takes the smallest difference between
 * two of the times. */
int cuda_measure_tick(struct cuda_device *cuda, double *tick_ns, struct err *err);
