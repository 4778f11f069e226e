/* The devices of the merged shards, and run.ini's description of the merged run. */
#pragma once

#include "merge/shards.h"

struct merged_device {
  char *id;                 /* value of its rows' column `devices` */
  char *spec;               /* "cuda:0" */
  const char *host;         /* not owned */
  struct pairs environment; /* its description, from its first shard */
};

struct merged_devices {
  struct merged_device *items;
  size_t count;
  size_t **of; /* index of the device, by shard and the shard's device */
};

void merged_find(const struct shard_runs *runs, struct merged_devices *devices);
void merged_free(struct merged_devices *devices, const struct shard_runs *runs);

/* Returns the index of the device that a row was measured on. */
size_t merged_device_of(const struct merged_devices *devices, const struct shard_runs *runs, size_t shard,
                        const struct record *row);

/* Fills [environment] and [tags]. Values that differ between shards become "shard.N.NAME". */
void merged_environment(const struct shard_runs *runs, struct merged_devices *devices, const char *run_id,
                        struct pairs *environment, struct pairs *tags);
