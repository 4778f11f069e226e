/* gpubench check: tests whether plugins keep the rules of the ABI. */
#pragma once

#include "check/findings.h"
#include "options/options.h"

struct check {
  struct findings *plugins; /* findings about each plugin, in the order in which the user named the plugins */
  size_t count;
};

/* Checks the plugins that the options name. Returns -1 with exit code 2 if a plugin or a device does not exist or a
 * filter matches nothing; with 4 if a selected device cannot be used; with 128 + N if signal N interrupted the
 * check. */
int check_plugins(const struct options *options, struct check *check, struct err *err);
void check_free(struct check *check);
