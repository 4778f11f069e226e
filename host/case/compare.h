/* An output against what was stated of it. */
#ifndef CASE_COMPARE_H
#define CASE_COMPARE_H

#include "case/case.h"
#include "case/check.h"

/* Adds all spans of the tensor. -1: the device failed. */
int tensor_compare(struct gb_case *c, struct tensor *tensor, struct check *check, struct err *err);

#endif
