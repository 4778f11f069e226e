#include "services.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"

gb_sdk gb;
static gb_drafts drafts;

gb_status services_open(const gb_host *host, gb_registry *registry) {
  const gb_status status = gb_sdk_open(&gb, host);
  if (status != GB_OK) return status;
  gb_drafts_open(&drafts, host);
  return gb_option_declare(&gb, registry, GB_STR, "file", "", NULL, NULL,
                           "a plain file of records to read; empty: one is made");
}

bool on_cpu(gb_case *c) {
  const char *backend = gb.device->str(c, "backend");
  return backend != NULL && strcmp(backend, "cpu") == 0;
}

int threads_of(gb_case *c, const char *axis) {
  const int64_t wanted = gb.point->i64(c, axis);
  return wanted > 0 ? (int)wanted : machine_processors();
}

const char *option_file(gb_case *c) {
  const char *path = gb.option->str(c, "file");
  return path[0] == '\0' ? NULL : path;
}

gb_status declare_metric(gb_case *c, const char *name, const char *unit, uint32_t better, const char *summary) {
  return gb_metric_declare(&gb, c, name, unit, better, GB_AGGREGATE_MEDIAN, summary);
}

bool spans_wanted(gb_case *c) {
  return gb_span_wanted(&drafts, c) != 0;
}

int64_t now_ns(void) {
  struct timespec now;
  if (drafts.span != NULL) return gb_span_now(&drafts);
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void add_span(gb_case *c, const char *lane, int64_t chunk, int64_t begin_ns, int64_t end_ns) {
  char label[32];
  snprintf(label, sizeof label, "chunk %" PRId64, chunk);
  gb_span_add(&drafts, c, lane, label, begin_ns, end_ns);
}

gb_status expect_copied(gb_case *c, int64_t floats) {
  enum { SEGMENT = 4096, SEGMENTS = 64 }; /* floats in a segment, and the largest number of segments */
  const int64_t total = (floats + SEGMENT - 1) / SEGMENT, count = total < SEGMENTS ? total : SEGMENTS;
  double *values = malloc((size_t)SEGMENT * sizeof *values);
  if (values == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory for the reference");
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i++) {
    const int64_t first = total * i / count, next = total * (i + 1) / count;
    const bool edge = i == 0 || i == count - 1;
    const int64_t drawn = first + (int64_t)gb.rng->below(gb.point->places(c), 1, (uint64_t)i, (uint64_t)(next - first));
    const int64_t at = (edge ? (i == 0 ? 0 : total - 1) : drawn) * SEGMENT;
    const uint64_t size = (uint64_t)(floats - at < SEGMENT ? floats - at : SEGMENT);
    status = gb.tensor->input(c, "x", (uint64_t)at, size, values);
    if (status == GB_OK) status = gb.tensor->expect(c, "y", (uint64_t)at, size, values);
  }
  free(values);
  return status;
}
