/* The jobs of a run, shared by the files of this room. */
#ifndef JOBS_STATE_H
#define JOBS_STATE_H

#include <limits.h>

#include "base/pairs.h"
#include "jobs/child.h"
#include "options/options.h"

struct job {
  char *device; /* "cuda:0" */
  char *uuid;   /* what rows call it, once it was seen; else "" */
  struct cpus cpus;
};

struct jobs {
  const struct options *options;
  struct strings words; /* that each is given */
  char begun_in[PATH_MAX];
  struct job *items;
  size_t count;
  char folder[PATH_MAX]; /* DIR/jobs */
  bool apart;            /* one after the other */
  char *claims;          /* the folder of what each has begun */
  struct pairs said;     /* what run.ini says of that */
};

/* jobs/neighbours.c: the yardsticks of each GPU alone and of all together. Where one is disturbed, or that cannot be
 * known, jobs->apart is set. */
void neighbours_look(struct jobs *jobs);

#endif
