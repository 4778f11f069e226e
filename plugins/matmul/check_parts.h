/* What the two halves of the check share: check.c, the sample, and check_sums.c. */
#ifndef MATMUL_CHECK_PARTS_H
#define MATMUL_CHECK_PARTS_H

#include "check.h"

#define MATMUL_DEPTH ((int64_t)1 << 16)      /* terms of a product that are taken in one go */
#define MATMUL_READ_AHEAD ((int64_t)1 << 20) /* elements of whole lines that are held at a time, at most */
#define MATMUL_ONE_TURN ((int64_t)1 << 17)   /* products: so many, about, in one turn of a processor */
#define MATMUL_SEGMENT 64                    /* columns */

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
  return (int64_t)sdk->rng->below(sdk->point->seed(c), stream, (uint64_t)index, (uint64_t)bound);
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

/* The weighted sums of blocks of c, from the inputs. */
gb_status matmul_check_state_sums(const gb_sdk *sdk, gb_case *c, struct matmul_check *check);

/* Those of the output that was just written against them. */
gb_status matmul_check_compare_sums(const gb_sdk *sdk, gb_case *c, const struct matmul_check *check,
                                    const struct matmul_measured *measured);

#endif
