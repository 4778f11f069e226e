/* An output against what was stated of it. */
#ifndef CASE_COMPARE_H
#define CASE_COMPARE_H

#include "case/case.h"
#include "case/check.h"

/* Of the elements that are stated, blocks that a secret number chooses. */
struct portion {
  double share; /* from 1 on: all of them */
  uint64_t secret;
};

#define PORTION_ALL ((struct portion){.share = 1})

/* Adds the spans of the tensor, or a portion of each. -1: the device failed. */
int tensor_compare(struct gb_case *c, struct tensor *tensor, const struct portion *portion, struct check *check,
                   struct err *err);

#endif
