/* Tests writing and reading metrics.csv and spans.csv, figures over processes, and sums of a timeline. */

#include "base/memory.h"
#include "capture.h"
#include "html/report.h"
#include "record/csv/files.h"
#include "summary/extras.h"
#include "svg/svg.h"

#define METRICS_COLUMNS "case_key,variant,mode,epoch,metric,unit,better,aggregate,value,n,sd,min,max"
#define SPANS_COLUMNS "case_key,variant,mode,epoch,lane,label,begin_ns,end_ns"

static const char hostile[] = "=</text><script>\"&';,\x7f";
static const struct csv_series series = {"p/b[n=1]", "v", "cold"};
static struct run_data data;
static struct err error;

static void set_up(void) {
  data = (struct run_data){.run_count = 1};
  data.runs = xcalloc(1, sizeof *data.runs);
  data.records = xcalloc(1, sizeof *data.records);
  record_init(data.records);
  record_set(&data.records->case_key, series.case_key);
  record_set(&data.records->variant, series.variant);
  record_set(&data.records->mode, series.mode);
  data.count = data.runs->count = 1;
  error = (struct err){0};
}

static int read(const char *text, int (*reader)(FILE *, const char *, struct run_data *, struct err *)) {
  FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
  int rc = reader(in, "x.csv", &data, &error);
  fclose(in);
  return rc;
}

static void metrics_come_back(void) {
  struct capture capture;
  struct metric_result result = {{BETTER_MORE, AGGREGATE_MEDIAN, "rate", "GB/s", ""}, 10, 0, 3.5, 0.5, 1, 9};
  FILE *out = capture_open(&capture);
  csv_table_write_header(out, &metrics_csv, &error);
  for (uint32_t epoch = 1; epoch <= 3; epoch++) {
    result.value = epoch == 2 ? 100 : 3.5 + epoch;
    metrics_csv_write(out, &series, epoch, &result, &error);
  }
  text_copy(result.desc.name, sizeof result.desc.name, "odd");
  text_copy(result.desc.unit, sizeof result.desc.unit, hostile);
  metrics_csv_write(out, &series, 1, &result, &error);
  char *text = capture_close(&capture);
  set_up();
  ASSERT_EQ_INT(read(text, metrics_csv_read), 0);
  ASSERT_EQ_STR(error.text, "");
  struct metrics_figure figure;
  size_t at = 0;
  ASSERT_TRUE(metrics_next(&data, data.records, &at, &figure));
  ASSERT_EQ_STR(figure.desc->name, "rate");
  ASSERT_EQ_INT(figure.epochs, 3);
  ASSERT_NEAR(figure.value, 6.5, 0);
  ASSERT_NEAR(figure.lo, 4.5, 0);
  ASSERT_NEAR(figure.hi, 100, 0);
  ASSERT_EQ_INT(figure.n, 30);
  ASSERT_TRUE(metrics_next(&data, data.records, &at, &figure));
  ASSERT_NEAR(figure.sd, 0.5, 0);
  ASSERT_TRUE(!metrics_next(&data, data.records, &at, &figure));
  record_set(&data.records->epochs, "1;3"); /* the second process did not finish */
  ASSERT_TRUE(metrics_find(&data, data.records, "rate", &figure));
  ASSERT_EQ_INT(figure.epochs, 2);
  ASSERT_NEAR(figure.value, 5.5, 0);
  run_data_free(&data);
  free(text);
}

#define METRICS METRICS_COLUMNS "\r\np/b[n=1],v,cold,"

static void odd_metrics_are_errors(void) {
  static const char *const texts[][2] = {
      {METRICS "1,a,B,more,median,x,1,0,1,1\r\n", "'x' is not a number"},
      {METRICS "1,a,B,more,median,nan,1,0,1,1\r\n", "'nan' is not a number"},
      {METRICS "1,a,B,most,median,1,1,0,1,1\r\n", "better is 'most'"},
      {METRICS "1,a,B,more,mode,1,1,0,1,1\r\n", "aggregate is 'mode'"},
      {METRICS "-1,a,B,more,median,1,1,0,1,1\r\n", "'-1' is not a whole number"},
      {METRICS "1,a b,B,more,median,1,1,0,1,1\r\n", "metric 'a b'"},
      {METRICS "1,a,B,more,median,1,1,0,2,1\r\n", "the wrong way round"},
      {"case_key,variant\r\n", "the columns are 'case_key, variant'"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    set_up();
    ASSERT_EQ_INT(read(texts[i][0], metrics_csv_read), -1);
    ASSERT_HAS(error.text, texts[i][1]);
    run_data_free(&data);
  }
  set_up();
  /* the line is truncated, so its last number may be incomplete */
  ASSERT_EQ_INT(read(METRICS "1,a,B,more,median,1,1,0,1,1", metrics_csv_read), 0);
  ASSERT_EQ_INT(data.extras.count, 0);
  run_data_free(&data);
}

/* The spans in us: "read" 0..40 and 50..90; "h2d" 30..60, overlapped by 35..65, and 65..100; "gpu" 60..70. */
static void make_timeline(struct timeline *timeline) {
  static const struct timeline_span spans[] = {{"read", "chunk 0", 0, 40000},    {"h2d", "chunk 0", 30000, 60000},
                                               {"h2d", "chunk 1", 35000, 65000}, {"read", "chunk 1", 50000, 90000},
                                               {"h2d", "", 65000, 100000},       {"gpu", "k", 60000, 70000}};
  *timeline = (struct timeline){0};
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
    timeline_add(timeline, &spans[i]);
}

static char *spans_text(const struct timeline *timeline) {
  struct capture capture;
  FILE *out = capture_open(&capture);
  csv_table_write_header(out, &spans_csv, &error);
  spans_csv_write(out, &series, 1, timeline, &error);
  return capture_close(&capture);
}

static void lanes_are_measured(void) {
  struct timeline timeline;
  struct timeline_lanes lanes;
  char text[TEXT_SIZE];
  make_timeline(&timeline);
  char *csv = spans_text(&timeline);
  set_up();
  ASSERT_EQ_INT(read(csv, spans_csv_read), 0);
  ASSERT_TRUE(timeline_build(extras_of(&data, data.records), data.records, &lanes));
  ASSERT_EQ_INT(lanes.count, 3);
  ASSERT_EQ_STR(lanes.items[0].name, "read");
  ASSERT_EQ_INT(lanes.items[0].busy_ns, 80000);
  ASSERT_EQ_INT(lanes.items[0].levels, 1);
  ASSERT_EQ_INT(lanes.items[1].busy_ns, 70000); /* 30..100, overlapping spans count once */
  ASSERT_EQ_INT(lanes.items[1].levels, 2);
  ASSERT_EQ_INT(lanes.longest, 0);
  ASSERT_NEAR(timeline_overlap(&lanes), 1.6, 1e-12);
  timeline_sentence(&lanes, text, sizeof text);
  ASSERT_EQ_STR(text, "bottleneck: read, busy 80% of 100.0 us; overlap 1.60 (sum of busy times / whole)");
  timeline_lanes_free(&lanes);
  record_set(&data.records->epochs, "2");
  ASSERT_TRUE(!timeline_build(extras_of(&data, data.records), data.records, &lanes));
  run_data_free(&data);
  timeline_free(&timeline);
  free(csv);
}

static void odd_spans_are_errors(void) {
  static const char *const texts[][2] = {
      {SPANS_COLUMNS "\r\np,v,cold,1,a,,10,5\r\n", "is not a span"},
      {SPANS_COLUMNS "\r\np,v,cold,1,a b,,1,5\r\n", "is not a span"},
      {SPANS_COLUMNS "\r\np,v,cold,1,a,,1,9223372036854775807\r\n", "is not a span"},
      {SPANS_COLUMNS "\r\np,v,cold,1,a,,1,92233720368547758070\r\n", "is not a whole number"},
      {SPANS_COLUMNS "\r\np,v,cold,x,a,,1,2\r\n", "'x' is not a whole number"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    set_up();
    ASSERT_EQ_INT(read(texts[i][0], spans_csv_read), -1);
    ASSERT_HAS(error.text, texts[i][1]);
    run_data_free(&data);
  }
}

/* ---- Drawing ---- */

static char *drawn(const char *name, const char *label) {
  struct capture capture;
  const struct svg_lane rows[] = {{name, false, 1}, {"h2d", true, 2}, {"a-lane-with-a-very-long-name", false, 1}};
  const struct svg_bar bars[] = {{0, 0, 0, 40, label, "read: chunk 0, 0 to 40 us"},
                                 {0, 0, 50, 90, label, label},
                                 {1, 0, 30, 60, label, NULL},
                                 {1, 1, 35, 65, NULL, NULL},
                                 {1, 0, 65, 100, NULL, NULL},
                                 {2, 0, 60, 60.0001, label, label}};
  const struct svg_timeline timeline = {
      {"timeline-0", name, "A row for each lane."}, "us", rows, 3, bars, sizeof bars / sizeof bars[0], 0, 100};
  svg_timeline(capture_open(&capture), &timeline);
  return capture_close(&capture);
}

static void looks_as_it_should(void) {
  char *text = drawn("read", "chunk");
  assert_golden("chart_timeline.svg", text);
  free(text);
}

static size_t occurrences(const char *text, const char *part) {
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
    count++;
  return count;
}

static void hostile_texts_are_text(void) {
  char *text = drawn(hostile, hostile);
  ASSERT_TRUE(strstr(text, "<script") == NULL && strchr(text, '\x7f') == NULL);
  ASSERT_EQ_INT(occurrences(text, "<text "), occurrences(text, "</text>"));
  free(text);
}

/* Thousands of short bars are merged, so that the picture stays small; odd values do not lead to odd coordinates. */
static void many_bars_stay_small(void) {
  enum { MANY = 4096 };
  static const double odd[] = {(double)NAN, (double)INFINITY, -1e300, 1e300};
  struct svg_bar *bars = xcalloc(MANY, sizeof *bars);
  const struct svg_lane row = {"a", true, 1};
  struct capture capture;
  for (int i = 0; i < MANY; i++)
    bars[i] = (struct svg_bar){.from = i, .to = i + 0.5};
  struct svg_timeline timeline = {{"t", "t", "t"}, "us", &row, 1, bars, MANY, 0, MANY};
  svg_timeline(capture_open(&capture), &timeline);
  char *text = capture_close(&capture);
  ASSERT_TRUE(strlen(text) < 400000);
  ASSERT_TRUE(occurrences(text, "<rect") <= 2000);
  free(text);
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    bars[1].to = odd[i];
    timeline.to = odd[i];
    svg_timeline(capture_open(&capture), &timeline);
    text = capture_close(&capture);
    ASSERT_TRUE(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
    free(text);
  }
  free(bars);
}

UNIT_MAIN("beside", UNIT_TEST(metrics_come_back), UNIT_TEST(odd_metrics_are_errors), UNIT_TEST(lanes_are_measured),
          UNIT_TEST(odd_spans_are_errors), UNIT_TEST(looks_as_it_should), UNIT_TEST(hostile_texts_are_text),
          UNIT_TEST(many_bars_stay_small))
