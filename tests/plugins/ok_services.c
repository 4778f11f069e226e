/* Correct use of gpubench's experimental functions: notes, options, scratch files, metrics and spans, on the CPU. The
 * variant `staged` passes data through a scratch file in chunks, with two stages in two threads. The variant `hostile`
 * passes texts with markup and control characters. */
#include <fcntl.h>
#include <gpubench/draft.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "simple.h"

static gb_drafts drafts;

#define HOSTILE                                                                                               \
  "=1+1,\"two\";'three'\n<b>\\N</b>\r\n</text></svg><script>alert(1)</script>\x1b[31m & &amp; {a|b} %s \xff " \
  "\xe2\x80\xae"

enum { CHUNKS = 8, PER_CHUNK = SIMPLE_N / CHUNKS };

/* ---- The bench: its options, and its metrics ---- */

static gb_status declare_options(gb_registry *registry) {
  gb_status status = gb_option_declare(&gb, registry, GB_I64, "threads", "2", "1:64", NULL, "threads that it may take");
  if (status == GB_OK) status = gb_option_declare(&gb, registry, GB_F64, "share", "0.5", "0:1", "1", NULL);
  if (status == GB_OK) status = gb_option_declare(&gb, registry, GB_STR, "how", "read", "read,mmap", NULL, "of input");
  if (status == GB_OK) status = gb_option_declare(&gb, registry, GB_STR, "path", "", NULL, NULL, "where data lies");
  if (status == GB_OK) status = gb_option_declare(&gb, registry, GB_I64, "nap_ms", "0", ":600000", "ms", "in prepare");
  return status;
}

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  gb_status status = simple_setup(self, c, state);
  if (status == GB_OK)
    status = gb_metric_declare(&gb, c, "rate", "items/s", GB_BETTER_MORE, GB_AGGREGATE_MEDIAN, "items a second");
  if (status == GB_OK) status = gb_metric_declare(&gb, c, "wait", "us", GB_BETTER_LESS, GB_AGGREGATE_MEAN, NULL);
  if (status == GB_OK) status = gb_metric_declare(&gb, c, "runs", NULL, GB_BETTER_NEITHER, GB_AGGREGATE_SUM, NULL);
  if (status == GB_OK)
    status = gb_metric_declare(&gb, c, "odd", "=<b>\";',\n|</text>", GB_BETTER_LESS, GB_AGGREGATE_LAST, HOSTILE);
  if (status == GB_OK) status = gb_metric_declare(&gb, c, "never", "B", GB_BETTER_LESS, GB_AGGREGATE_MAX, NULL);
  if (status == GB_OK) status = gb_metric_declare(&gb, c, "file", "B", GB_BETTER_LESS, GB_AGGREGATE_LAST, NULL);
  if (status == GB_OK) status = gb_metric_declare(&gb, c, "seen", NULL, GB_BETTER_MORE, GB_AGGREGATE_LAST, NULL);
  return status;
}

/* ---- Plain ---- */

static gb_status plain_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  gb_status status = simple_run(self, c, vstate);
  clock_gettime(CLOCK_MONOTONIC, &after);
  double s = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
  gb.metric->add(c, "rate", SIMPLE_N / (s + 1e-9));
  gb.metric->add(c, "runs", 1);
  return status;
}

/* ---- Staged ---- */

struct staged {
  char path[4200];
  int fd;
};

static struct staged staged_state; /* one state is enough, because the test has one case at a time */

static gb_status staged_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct staged *s = &staged_state;
  (void)self;
  const struct timespec nap = {gb.option->i64(c, "nap_ms") / 1000, gb.option->i64(c, "nap_ms") % 1000 * 1000000};
  const char *directory = gb.scratch->directory(c);
  if (directory == NULL) return GB_EFAIL;
  if (strcmp(directory, gb.scratch->directory(c)) != 0) return gb_failf(&gb, c, GB_EFAIL, "the directory has moved");
  if (gb.scratch->free_bytes(c) < SIMPLE_N * sizeof(float)) return gb_failf(&gb, c, GB_SKIP, "no room");
  snprintf(s->path, sizeof s->path, "%s/x.bin", directory);
  s->fd = open(s->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (s->fd < 0) return gb_failf(&gb, c, GB_EFAIL, "cannot make %s", s->path);
  const ssize_t bytes = SIMPLE_N * (ssize_t)sizeof(float);
  bool good = write(s->fd, gb.tensor->data(c, "x"), (size_t)bytes) == bytes;
  if (!good) return gb_failf(&gb, c, GB_EFAIL, "cannot write %s", s->path);
  nanosleep(&nap, NULL);
  *vstate = s;
  gb.metric->add(c, "file", (double)bytes);
  gb_status status = gb_notef(&gb, c, "how", "%s", gb.option->str(c, "how"));
  if (status == GB_OK) status = gb_notef(&gb, c, "threads", "%lld", (long long)gb.option->i64(c, "threads"));
  if (status == GB_OK) status = gb_notef(&gb, c, "share", "%g", gb.option->f64(c, "share"));
  return status == GB_OK ? gb_notef(&gb, c, "path", "%s", gb.option->str(c, "path")) : status;
}

static void staged_release(const gb_variant *self, gb_case *c, void *vstate) {
  struct staged *s = vstate;
  (void)self;
  gb_notef(&gb, c, "left", "%d", access(s->path, F_OK) == 0);
  close(s->fd); /* gpubench removes the file */
}

struct reader {
  gb_case *c;
  const struct staged *staged;
  float *values;
  bool wanted;
  double waited_us;
};

static void *read_chunks(void *argument) {
  struct reader *r = argument;
  char label[32];
  for (int i = 0; i < CHUNKS; i++) {
    int64_t begin = gb_span_now(&drafts);
    const size_t bytes = PER_CHUNK * sizeof(float);
    if (pread(r->staged->fd, r->values + i * PER_CHUNK, bytes, (off_t)(i * (int)bytes)) != (ssize_t)bytes) return r;
    snprintf(label, sizeof label, "chunk %d", i);
    if (r->wanted) gb_span_add(&drafts, r->c, "read", label, begin, gb_span_now(&drafts));
    r->waited_us += (double)(gb_span_now(&drafts) - begin) * 1e-3;
  }
  return NULL;
}

static gb_status staged_run(const gb_variant *self, gb_case *c, void *vstate) {
  static float values[SIMPLE_N];
  struct reader reader = {.c = c, .staged = vstate, .values = values, .wanted = gb_span_wanted(&drafts, c)};
  pthread_t thread;
  void *failed;
  (void)self;
  if (pthread_create(&thread, NULL, read_chunks, &reader) != 0) return gb_failf(&gb, c, GB_EFAIL, "no thread");
  pthread_join(thread, &failed);
  if (failed != NULL) return gb_failf(&gb, c, GB_EFAIL, "cannot read %s", staged_state.path);
  int64_t begin = gb_span_now(&drafts);
  float *y = gb.tensor->data(c, "y");
  for (int i = 0; i < SIMPLE_N; i++)
    y[i] = 2 * values[i];
  if (reader.wanted) gb_span_add(&drafts, c, "double", NULL, begin, gb_span_now(&drafts));
  gb.metric->add(c, "wait", reader.waited_us);
  gb.metric->add(c, "runs", 1);
  return GB_OK;
}

/* ---- Hostile ---- */

static gb_status hostile_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)vstate;
  gb_status status = gb_notef(&gb, c, "lie", "%s", HOSTILE);
  return status == GB_OK ? gb_notef(&gb, c, "lie", "%s", HOSTILE) : status; /* replaces the first note */
}

static gb_status hostile_run(const gb_variant *self, gb_case *c, void *vstate) {
  gb.metric->add(c, "odd", 1e300 * 10);
  gb.metric->add(c, "odd", 0.0 / (double)(c == NULL)); /* this value is discarded, because it is not finite */
  if (gb_span_wanted(&drafts, c)) {
    int64_t now = gb_span_now(&drafts);
    for (int i = 0; i < 5000; i++) /* more spans than gpubench keeps */
      gb_span_add(&drafts, c, "flood", HOSTILE, now + 100 * i, now + 100 * i + 50);
    gb_span_add(&drafts, c, "never", NULL, now, now);
  }
  return simple_run(self, c, vstate);
}

static gb_status judge(const gb_bench *self, gb_case *c, void *state) {
  double y[2];
  (void)self;
  (void)state;
  gb_status status = gb.tensor->output(c, "y", 0, 2, y);
  return status == GB_OK ? gb.metric->add(c, "seen", y[0] > 0 ? 1 : 0) : status;
}

static const gb_variant plain = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE,
                                 .name = "plain",     .backend = "cpu",
                                 .math = "fp32",      .run = plain_run};
static const gb_variant staged = {
    GB_SIZE(gb_variant), .flags = GB_VARIANT_DERIVED, .name = "staged",          .backend = "cpu",
    .math = "fp32",      .run = staged_run,           .prepare = staged_prepare, .release = staged_release};
static const gb_variant hostile = {GB_SIZE(gb_variant), .name = "hostile",  .backend = "cpu",
                                   .math = "fp32",      .run = hostile_run, .prepare = hostile_prepare};
static const gb_variant *const variants[] = {&plain, &staged, &hostile, NULL};
static const gb_bench bench = {GB_SIZE(gb_bench),
                               .name = "pipeline",
                               .contract = "gpubench.org/test/services/1",
                               .summary = "y = 2 * x",
                               .variants = variants,
                               .setup = setup,
                               .reference = simple_reference,
                               .verify = judge};

static gb_status services_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  gb_drafts_open(&drafts, host);
  if (status == GB_OK) status = declare_options(registry);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "services", .version = "1.0", .open = services_open};
