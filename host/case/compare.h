/* Compares an output on the device with the expected values that the bench's `reference` gave for it. */
#pragma once

#include "case/case.h"
#include "case/check.h"

/* Says which blocks of the stated elements (those with expected values) are compared: `secret` is the key of the random
 * numbers that select them, so that no variant can know them. */
struct portion {
  double share; /* which share of the blocks is selected; 1 or more: all blocks */
  uint64_t secret;
};

#define PORTION_ALL ((struct portion){.share = 1})

/* Compares the elements that have expected values, or a portion of them, and adds the result to `check`. -1: the device
 * failed. */
int tensor_compare(struct gb_case *c, struct tensor *tensor, const struct portion *portion, struct check *check,
                   struct err *err);
