/* Which rows of the shards a merged run has, in which order, and what their processes are called there. */
#ifndef MERGE_ROWS_H
#define MERGE_ROWS_H

#include "merge/devices.h"

struct merged_row {
  struct record *record; /* of its shard */
  size_t shard, device;
  size_t number;   /* of its case in the plan; 0: a yardstick's */
  uint32_t behind; /* what is added to the numbers of its processes: other shards have had those before */
};

struct merged_rows {
  struct merged_row *items;
  size_t count;
};

/* Yardsticks first, then the cases as the plan has them, device after device. Of a yardstick that several shards have
 * measured on one device a single one counts: the first with the most rows that are right. */
void rows_choose(const struct shard_runs *runs, const struct merged_devices *devices, struct merged_rows *rows);
void rows_free(struct merged_rows *rows);

/* Writes the new numbers of its processes into the record: when nobody asks for the old ones any more. */
void rows_rename(struct merged_row *row);

/* The yardstick's row that a process of a shard belongs to, NULL: no row that was chosen. Without `mode` of any,
 * without `epoch` of any process. */
const struct merged_row *rows_find(const struct merged_rows *rows, size_t shard, const char *case_key,
                                   const char *variant, const char *mode, const uint32_t *epoch);

#endif
