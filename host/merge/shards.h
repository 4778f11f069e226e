/* Reads shards (runs of parts of a plan) from disk and checks that they belong to one plan. Their files may have been
 * changed by other programs and are not trusted. */
#pragma once

#include "options/options.h"
#include "record/run_data.h"

/* A case that the shard was to run: a section [case-N] of its run.ini. */
struct shard_case {
  size_t number; /* N: the number of the case in the plan */
  struct selection selection;
  const char *text; /* the text of the section, in run.ini, and its length */
  size_t length;
};

struct shard_run {
  const char *path; /* path of the shard's run; not owned */
  struct shard shard;
  size_t whole; /* number of cases in the whole plan */
  struct run_data data;
  struct shard_case *cases;
  size_t case_count;
  struct map places; /* index of the shard's cases by key and mode */
};

struct shard_runs {
  struct shard_run *items; /* sorted by shard number once they are checked */
  size_t count;
};

/* Reads all shards, and checks that they belong to one plan, that none is missing and that each is complete. */
int shards_load(const struct strings *paths, struct shard_runs *runs, struct err *err);
void shards_free(struct shard_runs *runs);

/* Returns a value of the shard's run.ini, or NULL. */
const char *shard_get(const struct shard_run *run, const char *name);
/* shard_devices() returns the number of devices that the shard ran on, 0 if it has no rows. shard_device_id() returns
 * the id of one of these devices, as in the rows, and shard_device() its description. */
size_t shard_devices(const struct shard_run *run);
const char *shard_device_id(const struct shard_run *run, size_t device);
const struct pairs *shard_device(const struct shard_run *run, size_t device);
/* Returns the number that the row's case has in the plan; 0: the case only measures a ceiling of the device (a
 * yardstick). */
size_t shard_number_of(const struct shard_run *run, const char *case_key, const char *mode);
