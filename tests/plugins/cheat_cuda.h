/* Launchers of cheat_cuda.cu. */
#ifndef CHEAT_CUDA_H
#define CHEAT_CUDA_H

#include <stdint.h>

struct CUstream_st;

/* When a variant does not do as it should. */
enum when {
  NEVER,
  ALWAYS,
  KNOWN,           /* after `k` calls on these inputs */
  EVERY,           /* in all calls but every k-th */
  NOT_FIRST,       /* unless it is one of the first two calls after a pause, or of the first three on these inputs */
  THERE,           /* where the outputs are not poisoned at their ends */
  THERE_NOT_FIRST, /* both */
  IN_SLOT,         /* from the fourth call after a pause on */
};

/* What it does then, to the first of `parts` parts where that is not 0. */
enum what {
  GIVE, /* what it kept of the last honest call */
  NOTHING,
  ZEROS,
  ROUGHLY, /* a few percent off */
  /* all of the work, and */
  LAST,   /* the last element is left out */
  ROW,    /* the last 512 are */
  BESIDE, /* one is written behind the output */
  FAR,    /* a row further */
  INPUT,  /* the inputs are overwritten */
  ONE_NAN,
};

struct cheat {
  const char *name;
  enum when when;
  int k;
  enum what what;
  int parts;
};

struct cheat_memory; /* on the device */

#ifdef __cplusplus
extern "C" {
#endif

/* All return a cudaError_t. */
int cheat_cuda_open(struct cheat_memory **memory, int64_t n);
int cheat_cuda_close(struct cheat_memory *memory);

/* y = f(x) as it should be, into `y` or into what `memory` keeps. */
int cheat_cuda_honest(const float *x, float *y, int64_t n, int steps, struct CUstream_st *stream);
int cheat_cuda_keep(const float *x, struct cheat_memory *memory, int64_t n, int steps, struct CUstream_st *stream);
int cheat_cuda_run(const struct cheat *cheat, float *x, float *y, int64_t n, int steps, struct cheat_memory *memory,
                   struct CUstream_st *stream);

/* The same as honest, on a stream of its own that nobody waits for. */
int cheat_cuda_elsewhere(const float *x, float *y, int64_t n, int steps);

/* The last of so many parts, 1 for all, on another stream that begins where this one is and that nobody waits for. With
 * `cover` the outputs are not what they were before. */
int cheat_cuda_forked(const float *x, float *y, int64_t n, int steps, int parts, int cover, struct CUstream_st *stream);

/* Honest work that keeps its data in the L2 cache by hints of its instructions. */
int cheat_cuda_sticky(const float *x, float *y, int64_t n, int steps, struct CUstream_st *stream);

/* The stream's window on n floats, whose lines are to stay in the L2 cache; none: 0. And so many bytes that may stay.
 */
int cheat_cuda_window(const float *x, int64_t n, struct CUstream_st *stream);
int cheat_cuda_keep_more(int64_t n);

/* Which capture this stream is in; 0: none. */
unsigned long long cheat_cuda_capture(struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

/* f is x = A x + B, so often. */
#define CHEAT_A (1 - 0x1p-12)
#define CHEAT_B 0x1p-13

#endif
