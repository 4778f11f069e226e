#include "summary/row.h"

#include "base/memory.h"
#include "sample_run.h"
#include "summary/summary.h"
#include "unit.h"

static void state_bytes(struct run_data *data, const struct record *row, uint64_t bytes) {
  data->graphs = xcalloc(1, sizeof *data->graphs);
  data->graph_count = 1;
  struct run_graph *graph = data->graphs;
  graph->case_key = xstrdup(row->case_key);
  graph->variant = xstrdup(row->variant);
  graph->nodes = xcalloc(2, sizeof *graph->nodes);
  graph->edges = xcalloc(1, sizeof *graph->edges);
  graph->node_count = 2;
  graph->edge_count = 1;
  graph->edges[0].to = 1;
  graph->edges[0].bytes = bytes;
}

static void words_are_the_rows_own(void) {
  struct run_data data;
  sample_run(&data, false);
  record_set(&data.records[0].bound, "memory");
  ASSERT_EQ_STR(bound_words(&data, &data.records[0]), "memory");
  record_set(&data.records[0].bound, "latency");
  ASSERT_EQ_STR(bound_words(&data, &data.records[0]), "neither: far from both ceilings");
  record_set(&data.records[0].bound, NULL);
  ASSERT_EQ_STR(bound_words(&data, &data.records[0]), "");
  run_data_free(&data);
}

/* If a variant's graph states how many bytes it moves, these decide which resource limits the row. */
static void stated_bytes_count(void) {
  struct run_data data;
  sample_run(&data, false);
  struct record *row = &data.records[0];
  record_set(&row->bound, "latency");
  record_set(&row->math, "bf16");
  pairs_free(&data.environment);
  pairs_add_text(&data.environment, "copy_ceiling_gb_per_s", "4000");
  pairs_add_text(&data.environment, "flop_ceiling_bf16_tflops", "800");
  row->flops = 100000000000;           /* takes 125 us at the ceiling */
  row->tflops = 100;                   /* measured 1 ms */
  state_bytes(&data, row, 3600000000); /* takes 0.9 ms at the ceiling */
  ASSERT_EQ_STR(bound_words(&data, row), "memory");
  data.graphs[0].edges[0].bytes = 400000000;
  ASSERT_EQ_STR(bound_words(&data, row), "neither: far from both ceilings");
  row->tflops = 700;
  ASSERT_EQ_STR(bound_words(&data, row), "compute");
  record_set(&row->math, "fp8"); /* there is no ceiling for fp8, so the limit that the row itself states is used */
  ASSERT_EQ_STR(bound_words(&data, row), "neither: far from both ceilings");
  run_data_free(&data);
}

/* Units have no leading zeros, and shares are shown only if there are ceilings. */
static void rates_have_a_unit(void) {
  struct run_data data;
  struct run_summary summary;
  sample_run(&data, false);
  summary_build(&data, &summary);
  ASSERT_EQ_STR(bench_rate_unit(&summary.benches[0]).name, "TFLOP/s");
  ASSERT_TRUE(bench_has_ceilings(&summary.benches[0]));
  summary_free(&summary);
  for (size_t i = 0; i < data.count; i++) {
    data.records[i].tflops *= 1e-4;
    data.records[i].gb_per_s *= 1e-4;
    data.records[i].ceiling_share = (double)NAN;
  }
  summary_build(&data, &summary);
  ASSERT_EQ_STR(bench_rate_unit(&summary.benches[0]).name, "GFLOP/s");
  ASSERT_NEAR(bench_rate_unit(&summary.benches[0]).per, 1000, 0);
  ASSERT_TRUE(!bench_has_ceilings(&summary.benches[0]));
  summary_free(&summary);
  run_data_free(&data);
}

/* If memory limits the rows, rates are in bytes. A single row that is limited by arithmetic makes all rates operations
 * per second. */
static void rows_bound_by_memory_are_told_in_bytes(void) {
  struct run_data data;
  struct run_summary summary;
  sample_run(&data, false);
  for (size_t i = 0; i < data.count; i++)
    record_set(&data.records[i].bound, i == 1 ? "memory" : "latency");
  summary_build(&data, &summary);
  ASSERT_EQ_INT(summary.benches[0].rate, RATE_GB);
  summary_free(&summary);
  record_set(&data.records[2].bound, "compute");
  summary_build(&data, &summary);
  ASSERT_EQ_INT(summary.benches[0].rate, RATE_TFLOPS);
  summary_free(&summary);
  run_data_free(&data);
}

UNIT_MAIN("row", UNIT_TEST(words_are_the_rows_own), UNIT_TEST(stated_bytes_count), UNIT_TEST(rates_have_a_unit),
          UNIT_TEST(rows_bound_by_memory_are_told_in_bytes))
