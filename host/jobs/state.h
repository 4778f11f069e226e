/* The jobs of a run, shared by the files of this room. */
#pragma once

#include <limits.h>

#include "base/pairs.h"
#include "jobs/child.h"
#include "options/options.h"

struct job {
  char *device; /* "cuda:0" */
  char *uuid;   /* the device's name in rows, once known; else "" */
  struct cpus cpus;
};

struct jobs {
  const struct options *options;
  struct strings words; /* arguments that each job gets */
  char begun_in[PATH_MAX];
  struct job *items;
  size_t count;
  char folder[PATH_MAX]; /* DIR/jobs */
  bool apart;            /* jobs run one after the other */
  char *claims;          /* folder of the jobs' claims */
  struct pairs said;     /* what run.ini and the terminal say about the jobs */
};

/* Measures the yardsticks of each GPU alone and of all together (jobs/neighbours.c). Sets jobs->apart if a GPU is
 * disturbed or that cannot be known. */
void neighbours_look(struct jobs *jobs);
