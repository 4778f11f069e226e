/* Tests the metrics that a worker sends: none of their values disappears without a message. */
#include "ask/extras.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "unit.h"

static const double nan_ = (double)NAN, inf = (double)INFINITY;

static void state(struct metrics_message *message, const char *name, uint32_t aggregate, const double *values,
                  size_t count) {
  struct metric_desc desc = {.aggregate = aggregate};
  struct metric_log log = {0};
  text_copy(desc.name, sizeof desc.name, name);
  for (size_t i = 0; i < count; i++)
    metric_log_add(&log, values[i]);
  message->count += metric_log_result(&log, &desc, &message->results[message->count]);
  metric_log_free(&log);
}

static void arrive(struct variant_extras *extras, struct metrics_message *from, uint32_t epoch) {
  const struct message message = {MSG_METRICS, sizeof *from, (unsigned char *)from};
  extras_take(extras, &message, epoch);
}

static void no_value_vanishes(void) {
  static const struct {
    const char *text; /* NULL: no message */
    uint32_t aggregate;
    double figure; /* NaN: none */
    size_t count;
    double values[4];
  } rows[] = {
      {NULL, AGGREGATE_MEAN, 2, 3, {1, 2, 3}},
      {"metric 'm': 1 of 3 values not finite", AGGREGATE_MEAN, 2, 3, {1, NAN, 3}},
      {"metric 'm': 2 of 3 values not finite", AGGREGATE_LAST, 7, 3, {7, INFINITY, -INFINITY}},
      {"metric 'm': 1 of 1 values not finite", AGGREGATE_MEDIAN, NAN, 1, {NAN}},
      {"metric 'm': 4 of 4 values not finite", AGGREGATE_MAX, NAN, 4, {INFINITY, NAN, INFINITY, NAN}},
      {"metric 'm': its sum of 2 values is too large", AGGREGATE_SUM, NAN, 2, {1e308, 1e308}},
      {NULL, AGGREGATE_MEAN, 1e308, 2, {1e308, 1e308}},
      {NULL, AGGREGATE_MEDIAN, 0, 3, {-1e308, 0, 1e308}},
      {NULL, AGGREGATE_MEAN, 2e200, 2, {1e200, 3e200}},
      {NULL, AGGREGATE_MIN, 1e-200, 2, {1e-200, 3e-200}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct metrics_message *from = xcalloc(1, sizeof *from);
    struct variant_extras extras = {0};
    char text[MSG_SIZE];
    state(from, "m", rows[i].aggregate, rows[i].values, rows[i].count);
    arrive(&extras, from, 1);
    ASSERT_EQ_INT(extras.metric_count, 1);
    const double value = extras.metrics[0].result.value;
    if (isfinite(rows[i].figure))
      ASSERT_NEAR(value, rows[i].figure, 1e-12 * fabs(rows[i].figure));
    else
      ASSERT_TRUE(!isfinite(value));
    ASSERT_TRUE(isfinite(extras.metrics[0].result.sd));
    ASSERT_EQ_INT(extras_lost(&extras, text, sizeof text), rows[i].text != NULL);
    ASSERT_EQ_STR(text, rows[i].text != NULL ? rows[i].text : "");
    free(extras.metrics);
    free(from);
  }
}

/* The message counts discarded values over all metrics and processes, and names as many metrics as have room. */
static void all_processes_are_counted(void) {
  const double some[] = {1, nan_}, none[] = {nan_, inf}, good[] = {1, 2};
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  struct variant_extras extras = {0};
  char text[MSG_SIZE];
  for (uint32_t epoch = 1; epoch <= 3; epoch++) {
    struct metrics_message *from = xcalloc(1, sizeof *from);
    state(from, "good", AGGREGATE_MEAN, good, 2);
    state(from, "late", AGGREGATE_MEAN, epoch == 2 ? some : good, 2);
    state(from, "none", AGGREGATE_MEAN, none, 2);
    arrive(&extras, from, epoch);
    free(from);
  }
  ASSERT_TRUE(extras_lost(&extras, text, sizeof text));
  ASSERT_EQ_STR(text, "metric 'none': 6 of 6 values not finite; metric 'late': 1 of 6 values not finite");
  struct metrics_message *from = xcalloc(1, sizeof *from);
  for (int i = 0; i < 5; i++)
    state(from, names[i], AGGREGATE_MEAN, none, 2);
  arrive(&extras, from, 4);
  ASSERT_TRUE(extras_lost(&extras, text, sizeof text));
  ASSERT_HAS(text, "metric 'a': 2 of 2 values not finite; and so of 4 other metrics");
  free(from);
  free(extras.metrics);
}

UNIT_MAIN("extras", UNIT_TEST(no_value_vanishes), UNIT_TEST(all_processes_are_counted))
