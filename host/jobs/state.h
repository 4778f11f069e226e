/* The jobs of a run; the files in host/jobs share this state. */
#pragma once

#include <limits.h>

#include "base/pairs.h"
#include "jobs/child.h"
#include "options/options.h"

struct job {
  char *device; /* the device as specified: "cuda:0" */
  char *uuid;   /* the device's id as in the column `devices` of the rows; "" until it is known */
  struct cpus cpus;
};

struct jobs {
  const struct options *options;
  struct strings words; /* arguments that each job gets */
  char begun_in[PATH_MAX];
  struct job *items;
  size_t count;
  char folder[PATH_MAX]; /* the folder DIR/jobs, in which each job has a directory */
  bool apart;            /* true if jobs run one after the other */
  char *claims;          /* folder of the files by which jobs claim cases */
  struct pairs said;     /* facts about the jobs, for run.ini and for the terminal */
};

/* Measures two benches of the plugin calibrate on each GPU alone and on all GPUs at the same time
 * (jobs/interference.c). Sets jobs->apart if a GPU is slower while the others work, or if that cannot be found out. */
void interference_look(struct jobs *jobs);
