#include "summary/bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "summary/row.h"

static const char neither[] = "neither: far from both roofs";

uint64_t bound_traffic(const struct run_graph *graph) {
  uint64_t sum = 0;
  for (size_t i = 0; i < graph->edge_count; i++)
    sum = graph->edges[i].bytes > UINT64_MAX - sum ? UINT64_MAX : sum + graph->edges[i].bytes;
  return sum;
}

/* 0: it has stated nothing. */
static double stated_bytes(const struct run_data *data, const struct record *row) {
  const size_t place = (size_t)(row - data->records);
  for (size_t i = 0; i < data->graph_count; i++) {
    const struct run_graph *graph = &data->graphs[i];
    const struct run_info *run = graph->run < data->run_count ? &data->runs[graph->run] : NULL;
    const bool own = run == NULL || (place >= run->first && place - run->first < run->count);
    if (own && text_same(graph->case_key, row->case_key) && text_same(graph->variant, row->variant))
      return (double)bound_traffic(graph);
  }
  return 0;
}

static double ceiling(const struct run_data *data, const struct record *row, const char *name) {
  const char *text = pairs_get(run_data_environment(data, row), name);
  const double value = text != NULL ? strtod(text, NULL) : 0;
  return value > 0 ? value : (double)NAN;
}

/* As the host finds it: the nearer roof, where it explains a third of the time. */
static const char *by_stated(const struct run_data *data, const struct record *row, double bytes) {
  char name[TEXT_SIZE];
  const char *math = text_same(row->math, "fp16") ? "bf16" : text_or_empty(row->math); /* they share a ceiling */
  snprintf(name, sizeof name, "flop_ceiling_%.32s_tflops", math);
  const double ns = (double)row->flops / row->tflops * 1e-3; /* what its rates are of */
  const double compute = (double)row->flops / ceiling(data, row, name) * 1e-3 / ns;
  const double memory = bytes / ceiling(data, row, "copy_ceiling_gb_per_s") / ns;
  if (!isfinite(compute) || !isfinite(memory)) return NULL;
  if (fmax(compute, memory) < 1.0 / 3) return neither;
  return memory >= compute ? "memory" : "compute";
}

const char *bound_words(const struct run_data *data, const struct record *row) {
  const double bytes = row_timed(row) && row->flops > 0 && row->tflops > 0 ? stated_bytes(data, row) : 0;
  const char *stated = bytes > 0 ? by_stated(data, row, bytes) : NULL;
  if (stated != NULL) return stated;
  return text_same(row->bound, "latency") ? neither : text_or_empty(row->bound);
}
