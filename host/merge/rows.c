/* Rows of shards as rows of one run. */
#include "merge/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/row_status.h"

/* ---- Yardsticks ---- */

/* What one shard has of a yardstick on one device. */
struct measured {
  const char *case_key, *mode;
  size_t shard, device, right;
};

struct yardsticks {
  struct measured *items;
  size_t count;
};

static struct measured *find_measured(struct yardsticks *y, const struct merged_row *row) {
  for (size_t i = 0; i < y->count; i++) {
    struct measured *m = &y->items[i];
    if (m->shard == row->shard && m->device == row->device && text_same(m->case_key, row->record->case_key) &&
        text_same(m->mode, row->record->mode))
      return m;
  }
  y->items = xgrow(y->items, y->count, sizeof *y->items);
  y->items[y->count] = (struct measured){row->record->case_key, row->record->mode, row->shard, row->device, 0};
  return &y->items[y->count++];
}

/* Is there a better one, or one as good that came before? */
static bool is_chosen(struct yardsticks *y, const struct merged_row *row) {
  const struct measured *own = find_measured(y, row);
  for (const struct measured *m = y->items; m < y->items + y->count; m++)
    if (m->device == own->device && text_same(m->case_key, own->case_key) && text_same(m->mode, own->mode) &&
        (m->right > own->right || (m->right == own->right && m->shard < own->shard)))
      return false;
  return true;
}

static void keep_chosen(struct merged_rows *rows) {
  struct yardsticks y = {0};
  size_t kept = 0;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->items[i].number == 0)
      find_measured(&y, &rows->items[i])->right += row_status_parse(rows->items[i].record->status) == ROW_OK;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->items[i].number != 0 || is_chosen(&y, &rows->items[i])) rows->items[kept++] = rows->items[i];
  rows->count = kept;
  free(y.items);
}

/* ---- Processes ---- */

static uint32_t last_epoch(const struct record *record) {
  uint32_t last = 0;
  for (const char *at = text_or_empty(record->epochs); *at != '\0';) {
    const unsigned long epoch = strtoul(at, NULL, 10);
    if (epoch > last && epoch <= UINT32_MAX / 2) last = (uint32_t)epoch;
    at += strcspn(at, ";");
    at += *at == ';';
  }
  return last;
}

/* Of a yardstick on several devices each shard's processes come behind those of the shards before. Rows are in their
 * order. */
static void number_processes(struct merged_rows *rows) {
  for (size_t i = 0; i < rows->count && rows->items[i].number == 0; i++) {
    struct merged_row *row = &rows->items[i];
    for (const struct merged_row *other = rows->items; other < rows->items + rows->count && other->number == 0;
         other++) {
      if (other->shard >= row->shard || !text_same(other->record->case_key, row->record->case_key) ||
          !text_same(other->record->mode, row->record->mode))
        continue;
      const uint32_t last = other->behind + last_epoch(other->record);
      if (last > row->behind) row->behind = last;
    }
  }
}

void rows_rename(struct merged_row *row) {
  struct memory_text made;
  if (row->behind == 0 || text_or_empty(row->record->epochs)[0] == '\0') return;
  FILE *out = memory_text_begin(&made);
  for (const char *at = row->record->epochs; *at != '\0';) {
    fprintf(out, "%s%llu", at == row->record->epochs ? "" : ";", strtoull(at, NULL, 10) + row->behind);
    at += strcspn(at, ";");
    at += *at == ';';
  }
  free(row->record->epochs);
  row->record->epochs = memory_text_end(&made);
}

/* ---- All ---- */

static int in_order(const void *a, const void *b) {
  const struct merged_row *one = a, *other = b;
  if (one->number != other->number) return one->number < other->number ? -1 : 1;
  if (one->number == 0 && one->shard != other->shard) return one->shard < other->shard ? -1 : 1;
  if (one->device != other->device) return one->device < other->device ? -1 : 1;
  if (one->shard != other->shard) return one->shard < other->shard ? -1 : 1;
  return one->record < other->record ? -1 : one->record > other->record;
}

void rows_choose(const struct shard_runs *runs, const struct merged_devices *devices, struct merged_rows *rows) {
  size_t all = 0;
  for (size_t s = 0; s < runs->count; s++)
    all += runs->items[s].data.count;
  *rows = (struct merged_rows){.items = xcalloc(all, sizeof *rows->items)};
  for (size_t s = 0; s < runs->count; s++)
    for (size_t i = 0; i < runs->items[s].data.count; i++) {
      struct record *record = &runs->items[s].data.records[i];
      rows->items[rows->count++] =
          (struct merged_row){.record = record,
                              .shard = s,
                              .device = merged_device_of(devices, runs, s, record),
                              .number = shard_number_of(&runs->items[s], record->case_key, record->mode)};
    }
  keep_chosen(rows);
  qsort(rows->items, rows->count, sizeof *rows->items, in_order);
  number_processes(rows);
}

void rows_free(struct merged_rows *rows) {
  free(rows->items);
}

const struct merged_row *rows_find(const struct merged_rows *rows, size_t shard, const char *case_key,
                                   const char *variant, const char *mode, const uint32_t *epoch) {
  for (size_t i = 0; i < rows->count && rows->items[i].number == 0; i++) {
    const struct merged_row *row = &rows->items[i];
    if (row->shard == shard && text_same(row->record->case_key, case_key) && text_same(row->record->variant, variant) &&
        (mode == NULL || text_same(row->record->mode, mode)) &&
        (epoch == NULL || record_has_epoch(row->record, *epoch)))
      return row;
  }
  return NULL;
}
