/* Launchers of cheat_cuda.cu. */
#ifndef CHEAT_CUDA_H
#define CHEAT_CUDA_H

#include <stdint.h>

struct CUstream_st;

/* When a variant cheats. */
enum when {
  NEVER,
  ALWAYS,
  KNOWN,     /* after `k` calls on the same inputs */
  EVERY,     /* in all calls but every k-th */
  NOT_FIRST, /* unless it is one of the first two calls after a pause, or of the first three on these inputs */
  THERE, /* if the first and last output contain values other than the host's poison (the pattern that marks unwritten
            outputs) */
  THERE_NOT_FIRST, /* THERE and NOT_FIRST */
  IN_SLOT,         /* from the fourth call after a pause on */
};

/* What a variant does when it cheats. If `parts` is not 0, it does so only for the first of `parts` equal parts. */
enum what {
  GIVE, /* returns the kept results of the last honest call */
  NOTHING,
  ZEROS,
  ROUGHLY, /* writes results that are a few percent off */
  /* Does all of the work, except: */
  LAST,   /* the last element is omitted */
  ROW,    /* the last 512 elements are omitted */
  BESIDE, /* also writes one element past the output's end */
  FAR,    /* also writes the element 512 further on */
  INPUT,  /* also overwrites the inputs */
  ONE_NAN,
};

struct cheat {
  const char *name;
  enum when when;
  int k;
  enum what what;
  int parts;
};

struct cheat_memory; /* what the kernels remember from call to call, in device memory */

#ifdef __cplusplus
extern "C" {
#endif

/* All return a cudaError_t. */
int cheat_cuda_open(struct cheat_memory **memory, int64_t n);
int cheat_cuda_close(struct cheat_memory *memory);

/* Compute f(x): cheat_cuda_honest() into `y`, cheat_cuda_keep() into `memory`. cheat_cuda_run() lets the device decide
 * whether to compute or to cheat. */
int cheat_cuda_honest(const float *x, float *y, int64_t n, int steps, struct CUstream_st *stream);
int cheat_cuda_keep(const float *x, struct cheat_memory *memory, int64_t n, int steps, struct CUstream_st *stream);
int cheat_cuda_run(const struct cheat *cheat, float *x, float *y, int64_t n, int steps, struct cheat_memory *memory,
                   struct CUstream_st *stream);

/* Does the honest work on another stream, for which nothing waits. */
int cheat_cuda_elsewhere(const float *x, float *y, int64_t n, int steps);

/* Does the last of `parts` parts (1: all) on another stream, which begins at this point of `stream` and is never
 * waited for. With `cover` the outputs are overwritten first. */
int cheat_cuda_forked(const float *x, float *y, int64_t n, int steps, int parts, int cover, struct CUstream_st *stream);

/* Does the honest work, and keeps its data in the L2 cache by cache hints of its instructions. */
int cheat_cuda_sticky(const float *x, float *y, int64_t n, int steps, struct CUstream_st *stream);

/* cheat_cuda_window() sets the stream's access policy window to n floats, so that their lines persist in the L2 cache;
 * n 0 removes the window. cheat_cuda_keep_more() sets how many floats may persist in the cache. */
int cheat_cuda_window(const float *x, int64_t n, struct CUstream_st *stream);
int cheat_cuda_keep_more(int64_t n);

/* Returns the id of the capture that this stream is in, or 0. */
unsigned long long cheat_cuda_capture(struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

/* The function f applies x = A x + B `steps` times. */
#define CHEAT_A (1 - 0x1p-12)
#define CHEAT_B 0x1p-13

#endif
