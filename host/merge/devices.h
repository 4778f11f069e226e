/* The devices that took part, and what run.ini says of the merged run. */
#ifndef MERGE_DEVICES_H
#define MERGE_DEVICES_H

#include "merge/shards.h"

struct merged_device {
  char *id;                 /* what its rows get in `devices` */
  char *spec;               /* "cuda:0" */
  const char *host;         /* not owned */
  struct pairs environment; /* what is known of it: as its first shard has it */
};

struct merged_devices {
  struct merged_device *items;
  size_t count;
  size_t **of; /* by shard and the shard's device */
};

void merged_find(const struct shard_runs *runs, struct merged_devices *devices);
void merged_free(struct merged_devices *devices, const struct shard_runs *runs);

/* The one that a row was measured on. */
size_t merged_device_of(const struct merged_devices *devices, const struct shard_runs *runs, size_t shard,
                        const struct record *row);

/* [environment] and [tags]. What shards have apart from each other stands there as "shard.N.NAME". */
void merged_environment(const struct shard_runs *runs, struct merged_devices *devices, const char *run_id,
                        struct pairs *environment, struct pairs *tags);

#endif
