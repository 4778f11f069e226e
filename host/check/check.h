/* Plugins held against the rules of the ABI. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "check/findings.h"
#include "options/options.h"

struct check {
  struct findings *plugins; /* in the order in which they are named */
  size_t count;
};

/* Exit 2: a plugin, a filter or a device is not there; 4: a device that was asked for cannot be used; 128 + N: signal N
 * ended it. */
int check_plugins(const struct options *options, struct check *check, struct err *err);
void check_free(struct check *check);

#endif
