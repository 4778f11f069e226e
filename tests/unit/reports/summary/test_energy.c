/* Tests the Pareto front of time and energy, and the verdict on the energy counter. */
#include "summary/extras.h"

#include "base/memory.h"
#include "capture.h"
#include "sample_run.h"
#include "terminal/terminal.h"
#include "unit.h"

static void the_front_is_what_nothing_beats(void) {
  struct energy_point points[] = {{10, 5, false}, {20, 3, false}, {30, 3, false}, {15, 5, false},
                                  {40, 1, false}, {10, 5, false}, {50, 9, false}};
  const bool expected[] = {true, true, false, false, true, true, false}; /* two equal points are both on the front */
  energy_front(points, 7);
  for (size_t i = 0; i < 7; i++)
    if (points[i].front != expected[i]) UNIT_FAIL("point %zu: %d", i, points[i].front);
  energy_front(points, 0);
}

/* The fastest and the cheapest point are always on the front. */
static void the_fastest_and_the_cheapest_are_on_it(void) {
  struct energy_point points[] = {{1, 100, false}, {2, 50, false}, {3, 60, false}};
  energy_front(points, 3);
  ASSERT_TRUE(points[0].front && points[1].front && !points[2].front);
}

static void make_phase(struct record *record, const char *key, const char *device, double joules) {
  record_init(record);
  record_set(&record->contract, ENERGY_SELFTEST);
  record_set(&record->case_key, key);
  record_set(&record->devices, device);
  record_set(&record->status, "ok");
  record->median_raw_ns = 1e8;
  record->energy_j = joules;
}

/* Makes a run with rows of the bench energy/selftest from one device, and one row from another device that is far
 * off. */
static void make_run(struct run_data *data, size_t phases, double spread) {
  *data = (struct run_data){.records = xcalloc(phases + 1, sizeof *data->records)};
  for (size_t i = 0; i < phases; i++)
    make_phase(&data->records[data->count++], "energy/selftest[period_ms=100,duty=0.25]", "GPU-1",
               20 * (1 + spread * ((double)i / (double)(phases - 1) - 0.5)));
  make_phase(&data->records[data->count++], "energy/selftest[period_ms=100,duty=0.25]", "GPU-2", 400);
}

static void verdict_is(size_t phases, double spread, enum energy_trust trust, const char *words) {
  struct run_data data;
  char text[TEXT_SIZE];
  make_run(&data, phases, spread);
  const struct energy_verdict verdict = energy_verdict(&data, &data.records[0]);
  energy_verdict_text(&verdict, text, sizeof text);
  ASSERT_EQ_INT(verdict.trust, trust);
  ASSERT_EQ_STR(text, words);
  run_data_free(&data);
}

static void verdicts_are_told_apart(void) {
  verdict_is(10, 0.008, ENERGY_AGREES, "the counter does not alias: 10 phases agree within 0.8%");
  verdict_is(10, 0.38, ENERGY_ALIASES,
             "the counter aliases: phases differ by 38%, do not trust loads that pulse near 100 ms");
  verdict_is(10, 0.06, ENERGY_UNSURE,
             "the counter may alias: 10 phases differ by 6.0%, loads that pulse near 100 ms are uncertain by that");
  verdict_is(4, 0.38, ENERGY_UNTESTED, "whether the counter aliases was not tested in this run (energy/selftest does)");
}

static void rows_without_joules_are_no_phases(void) {
  struct run_data data;
  make_run(&data, 10, 0.38);
  data.records[0].energy_j = (double)NAN; /* leaves out the rows with the smallest and the largest joules */
  record_set(&data.records[9].status, "crashed");
  struct energy_verdict verdict = energy_verdict(&data, &data.records[3]);
  ASSERT_EQ_INT(verdict.phases, 8);
  ASSERT_NEAR(verdict.spread, 0.38 * 7 / 9, 1e-9);
  for (size_t i = 0; i < data.count; i++)
    record_set(&data.records[i].contract, "gpubench.org/energy/copy/1");
  verdict = energy_verdict(&data, &data.records[3]);
  ASSERT_EQ_INT(verdict.trust, ENERGY_UNTESTED);
  run_data_free(&data);
}

/* ---- Lines on the terminal ---- */

static char *printed(const struct run_data *data) {
  struct capture capture;
  table_print(data, capture_open(&capture), 100, false, false);
  return capture_close(&capture);
}

static void lines_say_what_is_known(void) {
  struct run_data data;
  sample_run(&data, false);
  char *text = printed(&data);
  ASSERT_TRUE(strstr(text, "energy") == NULL); /* energy was not measured */
  free(text);
  struct record *record = &data.records[1];
  record_set(&record->energy_method, "NVML counter, 5.10 s, graph replays");
  record_set(&record->energy_fault, "idle power did not settle");
  record->energy_j = 0.0931;
  record->energy_net_j = 0.0819;
  record->energy_unc = 0.0012;
  record->energy_power_w = 650;
  record->tflop_per_j = 0.98;
  text = printed(&data);
  ASSERT_HAS(text,
             "flash: 0.09310 J +-0.1%, 0.08190 J net, 650.0 W, 0.9800 TFLOP/J; idle power did not settle\n"
             "  whether the counter aliases was not tested");
  free(text);
  record->energy_j = (double)NAN;
  record_set(&record->energy_fault, "");
  record_set(&record->energy_method, "unavailable: NVML: no library");
  text = printed(&data);
  ASSERT_HAS(text, "\nenergy unavailable: NVML: no library\n");
  ASSERT_TRUE(strstr(text, "aliases") == NULL);
  free(text);
  run_data_free(&data);
}

UNIT_MAIN("joules", UNIT_TEST(the_front_is_what_nothing_beats), UNIT_TEST(the_fastest_and_the_cheapest_are_on_it),
          UNIT_TEST(verdicts_are_told_apart), UNIT_TEST(rows_without_joules_are_no_phases),
          UNIT_TEST(lines_say_what_is_known))
