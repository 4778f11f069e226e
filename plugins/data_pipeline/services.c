#include "services.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "machine.h"

struct services services;

static gb_status declare_options(const gb_host *host, gb_registry *registry) {
  static const gb_option file = {GB_SIZE(gb_option), .type = GB_STR, .name = "file", .value = "",
                                 .summary = "a plain file of records to read; empty: one is made"};
  return services.option == NULL ? GB_OK : services.option->declare(host, registry, &file);
}

gb_status services_open(const gb_host *host, gb_registry *registry) {
  const gb_status status = gb_sdk_open(&services.sdk, host);
  if (status != GB_OK) return status;
  services.option = host->extension(host, GB_EXT_OPTION);
  services.scratch = host->extension(host, GB_EXT_SCRATCH);
  services.note = host->extension(host, GB_EXT_NOTE);
  services.metric = host->extension(host, GB_EXT_METRIC);
  services.span = host->extension(host, GB_EXT_SPAN);
  return declare_options(host, registry);
}

bool on_cpu(gb_case *c) {
  const char *backend = gb.device->str(c, "backend");
  return backend != NULL && strcmp(backend, "cpu") == 0;
}

bool axis_is(gb_case *c, const char *axis, const char *value) {
  return strcmp(gb.point->str(c, axis), value) == 0;
}

gb_status check_range(gb_case *c, const char *axis, int64_t least, int64_t most) {
  const int64_t value = gb.point->i64(c, axis);
  if (value >= least && value <= most) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "%s is %" PRId64 ": must be %" PRId64 " to %" PRId64, axis, value, least, most);
}

int threads_of(gb_case *c, const char *axis) {
  const int64_t wanted = gb.point->i64(c, axis);
  return wanted > 0 ? (int)wanted : machine_processors();
}

const char *option_file(gb_case *c) {
  const char *path = services.option == NULL ? "" : services.option->str(gb.host, c, "file");
  return path[0] == '\0' ? NULL : path;
}

gb_status note(gb_case *c, const char *key, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return services.note == NULL ? GB_OK : services.note->set(c, key, text);
}

gb_status declare_metric(gb_case *c, const char *name, const char *unit, uint32_t better, const char *summary) {
  const gb_metric metric = {GB_SIZE(gb_metric), .better = better, .aggregate = GB_AGGREGATE_MEDIAN,
                            .name = name,       .unit = unit,     .summary = summary};
  return services.metric == NULL ? GB_OK : services.metric->declare(c, &metric);
}

void add_metric(gb_case *c, const char *name, double value) {
  if (services.metric != NULL) services.metric->add(c, name, value);
}

bool spans_wanted(gb_case *c) {
  return services.span != NULL && services.span->wanted(c) != 0;
}

int64_t now_ns(void) {
  struct timespec now;
  if (services.span != NULL) return services.span->now();
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void add_span(gb_case *c, const char *lane, int64_t chunk, int64_t begin_ns, int64_t end_ns) {
  char label[32];
  snprintf(label, sizeof label, "chunk %" PRId64, chunk);
  const gb_span span = {GB_SIZE(gb_span), .lane = lane, .label = label, .begin_ns = begin_ns, .end_ns = end_ns};
  services.span->add(c, &span);
}
