/* The devices of the shards (runs of parts of a plan) that are merged, and the description of the merged run for
 * run.ini. */
#pragma once

#include "merge/shards.h"

struct merged_device {
  char *id;                 /* the device's id, as in the rows' column `devices` */
  char *spec;               /* the device as specified: "cuda:0" */
  const char *host;         /* name of the host that the device belongs to; not owned */
  struct pairs environment; /* description of the device, from the first shard that used it */
};

struct merged_devices {
  struct merged_device *items;
  size_t count;
  size_t **of; /* of[s][d]: the index in `items` of device d of shard s */
};

void merged_find(const struct shard_runs *runs, struct merged_devices *devices);
void merged_free(struct merged_devices *devices, const struct shard_runs *runs);

/* Returns the index of the device on which a shard's row was measured. */
size_t merged_device_of(const struct merged_devices *devices, const struct shard_runs *runs, size_t shard,
                        const struct record *row);

/* Fills in the sections [environment] and [tags] of the merged run. Values that differ between shards become
 * "shard.N.NAME". */
void merged_environment(const struct shard_runs *runs, struct merged_devices *devices, const char *run_id,
                        struct pairs *environment, struct pairs *tags);
