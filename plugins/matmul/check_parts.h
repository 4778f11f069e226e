/* What the parts of the check share: check.c, the sample; check_sums.c; check_device.c. */
#ifndef MATMUL_CHECK_PARTS_H
#define MATMUL_CHECK_PARTS_H

#include "check.h"

#define MATMUL_DEPTH ((int64_t)1 << 16)      /* terms of a product that are taken in one go */
#define MATMUL_READ_AHEAD ((int64_t)1 << 20) /* elements of whole lines that are held at a time, at most */
#define MATMUL_ONE_TURN ((int64_t)1 << 17)   /* products: so many, about, in one turn of a processor */
#define MATMUL_SAMPLE_ROWS 24
#define MATMUL_SAMPLE_COLUMNS 512 /* at most, in segments */
#define MATMUL_ONLY_ROWS 64       /* where the sample is all that there is */
#define MATMUL_ONLY_COLUMNS 2048
#define MATMUL_SEGMENT 64
#define MATMUL_SUM_BLOCK 512 /* columns of one sum, at least */
#define MATMUL_SUM_BLOCKS 32 /* of a row, at most */

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

/* calloc; where there is no memory, or was none before, `status` says so. */
void *matmul_check_claim(const gb_sdk *sdk, gb_case *c, int64_t count, size_t size, gb_status *status);

double matmul_check_dot(const double *a, const double *b, int64_t count);

/* Size and error of the sample, as the variant wrote it. */
struct matmul_measured {
  double error; /* norm-relative */
  double rms;
};

/* Where the large part of the work is done. */
struct matmul_check_work {
  /* One row in so many takes part in the sums. */
  int64_t (*stride)(const struct matmul_check *check);

  /* The sample's elements of the output that was just written. */
  gb_status (*sample)(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, double *values);

  /* The weighted sums of blocks of c, from the inputs; nothing of an epilogue. */
  gb_status (*state)(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

  /* Those of the output that was just written against them; with an epilogue its elements. */
  gb_status (*compare)(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                       const struct matmul_measured *measured);
};

extern const struct matmul_check_work matmul_check_host;

#ifdef GPUBENCH_CUDA
/* What a GPU has computed last, either may be NULL: [sum_rows][blocks][MATMUL_VECTORS] from the inputs, and
 * [sum_rows][blocks][MATMUL_VECTORS + 1] from c. A cudaError_t. For tests. */
int matmul_check_device_sums(const struct matmul_check *check, double *sums, double *measured);
#endif

/* An element of c in float64. */
gb_status matmul_check_element(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int64_t row,
                               int64_t column, double *value);

/* Is every element stated? */
int matmul_check_states_all(const struct matmul_check *check);

/* How many rows, columns and blocks take part in the sums. */
void matmul_check_lay_out_sums(struct matmul_check *check);

/* Chooses rows, columns and weights, and computes the sums. */
gb_status matmul_check_state_sums(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

/* A sum may be off by so many times the norm of its elements and of as many of the sample's size. */
double matmul_check_factor(const struct matmul_measured *measured);

/* What is wrong of one sum. */
struct matmul_off {
  double off, bound;
};

/* The sums and squares of a block of a row, against what was stated of it: the first vector that is off by more than
 * its bound, or the last one. */
struct matmul_off matmul_check_judge(const struct matmul_check *check, const struct matmul_measured *measured,
                                     int64_t block, const double found[MATMUL_VECTORS + 1],
                                     const double stated[MATMUL_VECTORS]);

gb_status matmul_check_report(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check, int64_t row,
                              int64_t block, const struct matmul_off *off);

#endif
