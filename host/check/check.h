/* gpubench check: tests plugins against the rules of the ABI. */
#pragma once

#include "check/findings.h"
#include "options/options.h"

struct check {
  struct findings *plugins; /* in the order in which they are named */
  size_t count;
};

/* Returns -1 with exit 2 if a plugin, a filter's match or a device does not exist; 4 if a selected device cannot be
 * used; 128 + N if signal N interrupted it. */
int check_plugins(const struct options *options, struct check *check, struct err *err);
void check_free(struct check *check);
