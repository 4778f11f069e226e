/* Reads and writes samples.csv: every time that a run measured. */
#include "record/csv/files.h"

#include "base/memory.h"

#define LIST(X)     \
  X(TEXT, case_key) \
  X(TEXT, variant)  \
  X(TEXT, mode)     \
  X(NUMBER, epoch)  \
  X(NUMBER, round)  \
  X(NUMBER, index)  \
  X(REAL, ns)
CSV_TABLE(samples_csv, LIST, "samples");

/* ---- Writing samples.csv ---- */

int samples_csv_write(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err) {
  for (uint32_t i = 0; i < slot->count; i++) {
    const struct row row = {series->case_key, series->variant, series->mode, slot->epoch, slot->round, i, slot->ns[i]};
    csv_table_write(out, &samples_csv, &row);
  }
  return output_end(out, samples_csv.what, err);
}

/* ---- Reading samples.csv ---- */

static void new_slot(struct run_samples *samples, uint32_t epoch, uint32_t round) {
  if (samples->slots == NULL || samples->count == samples->capacity) {
    samples->capacity = samples->capacity ? samples->capacity * 2 : 8;
    samples->slots = xrealloc(samples->slots, samples->capacity, sizeof *samples->slots);
  }
  samples->slots[samples->count++] = (struct slot){.epoch = epoch, .round = round, .state = SLOT_STATE_UNKNOWN};
}

static void add_sample(struct run_samples *samples, uint32_t epoch, uint32_t round, double ns) {
  const struct slot *last = samples->count > 0 ? &samples->slots[samples->count - 1] : NULL;
  if (last == NULL || last->epoch != epoch || last->round != round) new_slot(samples, epoch, round);
  if (samples->ns_count == samples->ns_capacity) {
    samples->ns_capacity = samples->ns_capacity ? samples->ns_capacity * 2 : 32;
    samples->ns = xrealloc(samples->ns, samples->ns_capacity, sizeof *samples->ns);
  }
  samples->ns[samples->ns_count++] = ns;
  samples->slots[samples->count - 1].count++;
}

static int take_sample_row(void *user, char **fields, struct err *err) {
  struct run_data *data = user;
  struct row row = {0};
  uint32_t wrong = csv_table_parse(&samples_csv, fields, &row);
  if ((wrong & ~COLUMN_BIT(AT_ns)) != 0)
    return err_set(err, EXIT_FAILED, "epoch, round and index are '%.20s', '%.20s', '%.20s', not three whole numbers",
                   fields[AT_epoch], fields[AT_round], fields[AT_index]);
  if (wrong != 0 || row.ns < 0) return err_set(err, EXIT_FAILED, "ns is '%.40s', not a time", fields[AT_ns]);
  add_sample(run_data_add_samples(data, data->run_count - 1, row.case_key, row.variant, row.mode), (uint32_t)row.epoch,
             (uint32_t)row.round, row.ns);
  return 0;
}

/* Sets in each slot (consecutive samples of one variant) the pointer to its samples. Call it when all samples are read,
 * because the array then does not move any more. Also releases spare memory, because a run may have 100,000 such
 * arrays. */
static void point_slots(struct run_samples *samples) {
  size_t used = 0;
  samples->ns = xrealloc(samples->ns, samples->ns_capacity = samples->ns_count, sizeof *samples->ns);
  samples->slots = xrealloc(samples->slots, samples->capacity = samples->count, sizeof *samples->slots);
  for (size_t i = 0; i < samples->count; i++) {
    samples->slots[i].ns = samples->ns + used;
    used += samples->slots[i].count;
  }
}

int samples_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err) {
  int result = csv_table_read(in, name, &samples_csv, take_sample_row, data, NULL, err);
  for (size_t i = 0; i < data->sample_count; i++)
    point_slots(&data->samples[i]);
  return result;
}
