/* Reads the input as metrics.csv and as spans.csv, and checks the figures and timelines that reports make of it. */
#include "base/memory.h"
#include "fuzz.h"
#include "record/csv/files.h"
#include "summary/extras.h"

static void check_figures(const struct run_data *data, const struct record *record) {
  struct metrics_figure figure;
  for (size_t at = 0; metrics_next(data, record, &at, &figure);) {
    MUST(text_is_id(figure.desc->name) && fuzz_printable(figure.desc->unit) && figure.epochs > 0 && figure.n > 0);
    MUST(figure.lo <= figure.hi && figure.desc->better < BETTER_COUNT && figure.desc->aggregate < AGGREGATE_COUNT);
    MUST(figure.epochs == 1 || (figure.lo <= figure.value && figure.value <= figure.hi));
  }
}

static void check_lanes(const struct extras_series *series, const struct record *record) {
  struct timeline_lanes lanes;
  char text[TEXT_SIZE];
  if (!timeline_build(series, record, &lanes)) return;
  MUST(lanes.count <= LANES_MAX && lanes.longest < lanes.count && lanes.begin_ns <= lanes.end_ns);
  for (size_t i = 0; i < lanes.count; i++) {
    const struct lane *lane = &lanes.items[i];
    MUST(lane->busy_ns >= 0 && lane->busy_ns <= lane->last_ns - lane->first_ns && lane->levels <= LANE_LEVELS);
    MUST(lane->busy_ns <= lanes.items[lanes.longest].busy_ns);
  }
  for (size_t i = 0; i < lanes.bar_count; i++)
    MUST(lanes.bars[i].span->label == NULL || fuzz_printable(lanes.bars[i].span->label));
  timeline_sentence(&lanes, text, sizeof text);
  timeline_lanes_free(&lanes);
}

static void check_series(struct run_data *data, const struct extras_series *series) {
  struct record *record = data->records;
  record_set(&record->case_key, series->case_key);
  record_set(&record->variant, series->variant);
  record_set(&record->mode, series->mode);
  MUST(extras_of(data, record) == series);
  check_figures(data, record);
  check_lanes(series, record);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  struct run_data data = {.run_count = 1};
  int refused = 0;
  data.runs = xcalloc(1, sizeof *data.runs);
  data.records = xcalloc(1, sizeof *data.records);
  record_init(data.records);
  data.count = data.runs->count = 1;
  for (int i = 0; i < 2; i++) {
    struct fuzz_file file = fuzz_file(bytes, size);
    struct err err = {0};
    FILE *in = fopen(file.path, "re");
    int rc = i == 0 ? metrics_csv_read(in, "f", &data, &err) : spans_csv_read(in, "f", &data, &err);
    MUST((rc != 0) == (err.exit_code == EXIT_FAILED));
    refused += rc != 0;
    fclose(in);
    close(file.fd);
  }
  MUST(refused > 0 || data.extras.count == 0); /* a file that both readers refuse leaves no rows */
  for (size_t i = 0; i < data.extras.count; i++)
    check_series(&data, &data.extras.items[i]);
  run_data_free(&data);
  return 0;
}
