/* Declarations that the parts of the check share: check.c (the sample), check_sums.c, check_device.c. */
#ifndef MATMUL_CHECK_PARTS_H
#define MATMUL_CHECK_PARTS_H

#include "check.h"

#define MATMUL_DEPTH ((int64_t)1 << 16) /* how many values of k are processed in one pass */
/* When whole rows are read, at most this many elements are in memory at a time. */
#define MATMUL_READ_AHEAD ((int64_t)1 << 20)
#define MATMUL_ONE_TURN ((int64_t)1 << 17) /* approximate number of multiplications that a thread does at a time */
#define MATMUL_SAMPLE_ROWS 24
#define MATMUL_SAMPLE_COLUMNS 512 /* most columns of the sample, which come in segments of MATMUL_SEGMENT */
#define MATMUL_ONLY_ROWS 64       /* most rows of the sample if nothing else is checked */
#define MATMUL_ONLY_COLUMNS 2048
#define MATMUL_SEGMENT 64
#define MATMUL_SUM_BLOCK 512 /* least number of columns in a block */
#define MATMUL_SUM_BLOCKS 32 /* most blocks into which the columns that take part in the sums are divided */

enum { STREAM_ROWS = 1, STREAM_SEGMENTS, STREAM_SUM_ROWS, STREAM_SUM_COLUMNS, STREAM_WEIGHTS };

static inline int64_t min_i64(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline int64_t max_i64(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static inline int64_t parts(int64_t whole, int64_t part) {
  return (whole + part - 1) / part;
}

static inline int64_t below(const gb_sdk *sdk, gb_case *c, uint64_t stream, int64_t index, int64_t bound) {
  return (int64_t)sdk->rng->below(sdk->point->places(c), stream, (uint64_t)index, (uint64_t)bound);
}

static inline int64_t turn_of(int64_t products) {
  return max_i64(MATMUL_ONE_TURN / max_i64(products, 1), 1);
}

/* Allocates with calloc. Without memory it sets `status` and returns NULL; it does nothing if `status` is an error
 * already. */
void *matmul_check_claim(const gb_sdk *sdk, gb_case *c, int64_t count, size_t size, gb_status *status);

double matmul_check_dot(const double *a, const double *b, int64_t count);

/* How far the elements that a variant computed differ from the expected values of the sample. */
struct matmul_measured {
  double error; /* norm of the sample's error, relative to the norm of the sample */
  double rms;
};

/* The operations of the check for which there are two versions, one for the CPU and one for a GPU. */
struct matmul_check_work {
  /* Returns the stride s: one of every s rows and columns takes part in the sums. */
  int64_t (*stride)(const struct matmul_check *check);

  /* Reads the sample's elements from the output that was just written. */
  gb_status (*sample)(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, double *values);

  /* Computes the expected weighted sums of blocks of c from the inputs. Does nothing if the bench has an epilogue. */
  gb_status (*state)(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

  /* Compares the sums of the output that was just written with the expected ones; with an epilogue, compares each
   * element of the output instead. */
  gb_status (*compare)(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                       const struct matmul_measured *measured);
};

extern const struct matmul_check_work matmul_check_host;

#ifdef GPUBENCH_CUDA
/* For tests: copies the sums that a GPU computed last; either pointer may be NULL. `sums` is
 * [sum_rows][blocks][MATMUL_VECTORS], computed from the inputs; `measured` is [sum_rows][blocks][MATMUL_VECTORS + 1],
 * computed from c. Returns a cudaError_t. */
int matmul_check_device_sums(const struct matmul_check *check, double *sums, double *measured);
#endif

/* Computes an element of c in float64. */
gb_status matmul_check_element(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int64_t row,
                               int64_t column, double *value);

/* Returns true if the problem is so small that the reference covers every element of c. */
int matmul_check_states_all(const struct matmul_check *check);

/* Chooses the size of the check by sums (check_sums.c): sets sum_rows, sum_columns, width and blocks in `check`, the
 * number of rows and columns of c that are summed, and the width and number of the blocks of columns. */
void matmul_check_lay_out_sums(struct matmul_check *check);

/* Chooses at random the rows, columns and weights of the sums, and computes the expected sums. */
gb_status matmul_check_state_sums(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

/* Returns the allowed error of a sum, as a multiple of norm(elements of the sum) + rms of the sample * sqrt(number of
 * these elements). */
double matmul_check_factor(const struct matmul_measured *measured);

/* Error of one sum, and the bound that this error may not exceed. */
struct matmul_off {
  double off, bound;
};

/* Compares the sums of a block of a row, one for each random vector, with the expected sums `stated`;
 * found[MATMUL_VECTORS] is the sum of the squares of the block's elements. Returns the error and bound of the first
 * vector that exceeds its bound, or of the last vector. */
struct matmul_off matmul_check_judge(const struct matmul_check *check, const struct matmul_measured *measured,
                                     int64_t block, const double found[MATMUL_VECTORS + 1],
                                     const double stated[MATMUL_VECTORS]);

gb_status matmul_check_report(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int64_t row,
                              int64_t block, const struct matmul_off *off);

#endif
