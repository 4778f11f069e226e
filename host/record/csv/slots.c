/* Reads and writes slots.csv: the state of the device in each slot (consecutive samples of one variant). */
#include "record/csv/files.h"

#include "model/conditions.h"

#define LIST(X)           \
  X(TEXT, case_key)       \
  X(TEXT, variant)        \
  X(TEXT, mode)           \
  X(NUMBER, epoch)        \
  X(NUMBER, round)        \
  X(NUMBER, position)     \
  X(NUMBER, samples)      \
  X(KNOWN, sm_clock_mhz)  \
  X(KNOWN, temperature_c) \
  X(KNOWN, power_w)       \
  X(TEXT, throttle)       \
  X(KNOWN, cooldown)      \
  X(KNOWN, unix_s)
CSV_TABLE_ADDED(slots_csv, LIST, "slots", 2);

/* ---- Writing slots.csv ---- */

int slots_csv_write(FILE *out, const struct csv_series *series, const struct slot *slot, struct err *err) {
  const struct text throttle = throttle_text(slot->state.throttle);
  const struct row row = {.case_key = series->case_key,
                          .variant = series->variant,
                          .mode = series->mode,
                          .epoch = slot->epoch,
                          .round = slot->round,
                          .position = slot->state.position,
                          .samples = slot->count,
                          .sm_clock_mhz = slot->state.sm_clock_mhz,
                          .temperature_c = slot->state.temperature_c,
                          .power_w = slot->state.power_w,
                          .throttle = throttle.text,
                          .cooldown = slot->state.cooldown,
                          .unix_s = slot->state.unix_s};
  csv_table_write(out, &slots_csv, &row);
  return output_end(out, slots_csv.what, err);
}

/* ---- Reading slots.csv ---- */

static struct slot *find_slot(struct run_samples *samples, uint32_t epoch, uint32_t round) {
  /* slots.csv has the order of samples.csv, so the slot after the one found last is tried first and usually is the
   * right one */
  for (size_t i = 0; i < samples->count; i++) {
    struct slot *slot = &samples->slots[(samples->next + i) % samples->count];
    if (slot->epoch != epoch || slot->round != round) continue;
    samples->next = (samples->next + i + 1) % samples->count;
    return slot;
  }
  return NULL;
}

/* Takes a row of slots.csv. An invalid number of samples is ignored, because that number is known from samples.csv. */
static int take_slot_row(void *user, char **fields, struct err *err) {
  struct run_data *data = user;
  struct row row = {0};
  uint32_t wrong = csv_table_parse(&slots_csv, fields, &row);
  if ((wrong & ~COLUMN_BIT(AT_samples)) != 0)
    return err_set(err, EXIT_FAILED,
                   "epoch, round, position, clock, temperature, power, cooldown or time is not a number: %.100s",
                   fields[AT_epoch]);
  const struct run_samples *samples = run_data_samples(data, row.case_key, row.variant, row.mode);
  if (samples == NULL) return 0;
  struct slot *slot = find_slot(&data->samples[samples - data->samples], (uint32_t)row.epoch, (uint32_t)row.round);
  /* samples.csv was thinned out or truncated, and has no samples of this slot any more */
  if (slot == NULL) return 0;
  slot->state = (struct slot_state){.position = (uint32_t)row.position,
                                    .sm_clock_mhz = row.sm_clock_mhz,
                                    .temperature_c = row.temperature_c,
                                    .power_w = row.power_w,
                                    .throttle = throttle_parse(row.throttle),
                                    .cooldown = row.cooldown,
                                    .unix_s = row.unix_s};
  return 0;
}

int slots_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err) {
  return csv_table_read(in, name, &slots_csv, take_slot_row, data, NULL, err);
}
