/* Launchers of cheat_cuda.cu. */
#ifndef CHEAT_CUDA_H
#define CHEAT_CUDA_H

#include <stdint.h>

struct CUstream_st;

/* When a variant cheats. */
enum when {
  NEVER,
  ALWAYS,
  KNOWN,     /* after at least `k` calls on the same inputs */
  EVERY,     /* in all calls except every k-th */
  NOT_FIRST, /* in all calls except the first two after a pause and the first three on these inputs */
  THERE, /* if the first and the last output hold values, and not the NaN with which gpubench marks unwritten outputs */
  THERE_NOT_FIRST, /* THERE and NOT_FIRST */
  IN_SLOT,         /* from the fourth call after a pause on, because these calls are timed */
};

/* What a variant does when it cheats. The first four tricks apply only to the first of `parts` equal parts of the
 * outputs. */
enum what {
  GIVE, /* returns the results that the last honest call kept */
  NOTHING,
  ZEROS,
  ROUGHLY, /* writes results that are wrong by a few percent */
  /* The others do all of the work, except as stated: */
  LAST,   /* the last element is omitted */
  ROW,    /* the last 512 elements are omitted */
  BESIDE, /* writes one element behind the end of the output, too */
  FAR,    /* writes the element 512 places behind the end of the output, too */
  INPUT,  /* overwrites the inputs, too */
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

/* Compute f(x). cheat_cuda_honest() stores the results in `y`, and cheat_cuda_keep() in `memory`. In cheat_cuda_run()
 * the GPU decides whether to compute or to cheat. */
int cheat_cuda_honest(const float *x, float *y, int64_t n, int steps, struct CUstream_st *stream);
int cheat_cuda_keep(const float *x, struct cheat_memory *memory, int64_t n, int steps, struct CUstream_st *stream);
int cheat_cuda_run(const struct cheat *cheat, float *x, float *y, int64_t n, int steps, struct cheat_memory *memory,
                   struct CUstream_st *stream);

/* Does the honest work on another stream, for which nothing waits. */
int cheat_cuda_elsewhere(const float *x, float *y, int64_t n, int steps);

/* Does the last of `parts` parts of the work (1: all of it) on another stream. That stream starts when `stream` has
 * come to this point, but `stream` does not wait for it. If `cover`, the outputs are overwritten first. */
int cheat_cuda_forked(const float *x, float *y, int64_t n, int steps, int parts, int cover, struct CUstream_st *stream);

/* Does the honest work with instructions that keep their data in the L2 cache. */
int cheat_cuda_sticky(const float *x, float *y, int64_t n, int steps, struct CUstream_st *stream);

/* cheat_cuda_window() sets the stream's access policy window (a CUDA setting) to n floats, so that their lines stay in
 * the L2 cache; n = 0 removes the window. cheat_cuda_keep_more() sets how many floats may stay in the cache. */
int cheat_cuda_window(const float *x, int64_t n, struct CUstream_st *stream);
int cheat_cuda_keep_more(int64_t n);

/* Returns the id of the graph capture in which this stream takes part, or 0 if there is none. */
unsigned long long cheat_cuda_capture(struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

/* The function f applies x = A x + B `steps` times. */
#define CHEAT_A (1 - 0x1p-12)
#define CHEAT_B 0x1p-13

#endif
