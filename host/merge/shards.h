/* Shards as they lie on the disk, and whether they are one plan's. Everything in them is untrusted. */
#ifndef MERGE_SHARDS_H
#define MERGE_SHARDS_H

#include "options/options.h"
#include "record/run_data.h"

/* A case that the shard was to run: a section [case-N] of its run.ini. */
struct shard_case {
  size_t number; /* N: its place in the plan */
  struct selection selection;
  const char *text; /* the section */
  size_t length;
};

struct shard_run {
  const char *path; /* not owned */
  struct shard shard;
  size_t whole; /* cases of the plan */
  struct run_data data;
  struct shard_case *cases;
  size_t case_count;
  struct map places; /* of its cases, by key and mode */
};

struct shard_runs {
  struct shard_run *items; /* in the order of their numbers, once they are checked */
  size_t count;
};

/* Reads all of them, and checks that they are one plan's, all there, and whole. */
int shards_load(const struct strings *paths, struct shard_runs *runs, struct err *err);
void shards_free(struct shard_runs *runs);

/* A value of the shard's run.ini, or NULL. */
const char *shard_get(const struct shard_run *run, const char *name);
/* How many devices it ran on, 0 where it has no rows; the id that the rows of each have, and what is known of it. */
size_t shard_devices(const struct shard_run *run);
const char *shard_device_id(const struct shard_run *run, size_t device);
const struct pairs *shard_device(const struct shard_run *run, size_t device);
/* The number in the plan of the case that the row is of; 0: a yardstick's. */
size_t shard_number_of(const struct shard_run *run, const char *case_key, const char *mode);

#endif
