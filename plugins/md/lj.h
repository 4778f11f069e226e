/* Declares the benchmark "lj" (Lennard-Jones atoms) of the md plugin, and the parameters of a problem that the compared
 * implementations need. */
#ifndef MD_LJ_H
#define MD_LJ_H

#include "gpubench/sugar.h"
#include "system.h"

extern gb_sdk md_gb; /* the functions that gpubench offers to plugins; plugin.c looks them up */

/* Parameters of a problem. gpubench keeps them as the `state` that it passes to callbacks. */
struct lj {
  int64_t n, leg;
  double box;
  struct md_potential pair;
  int shifted_force, shuffled;
  double jitter;
};

gb_status lj_supports(const gb_bench *self, gb_case *c);
gb_status lj_setup(const gb_bench *self, gb_case *c, void **state);
gb_status lj_fill(const gb_bench *self, gb_case *c, void *state);
gb_status lj_reference(const gb_bench *self, gb_case *c, void *state);
gb_status lj_verify(const gb_bench *self, gb_case *c, void *state);
void lj_teardown(const gb_bench *self, gb_case *c, void *state);

#endif
