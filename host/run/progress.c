/* Progress on stderr: on a terminal one line that is rewritten, else a line per finished case. */
#include "run/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "model/services/note.h"

void progress_init(struct progress *progress, size_t total, bool quiet, int verbosity) {
  const char *term = getenv("TERM");
  bool dumb = term == NULL || strcmp(term, "dumb") == 0 || getenv("CI") != NULL;
  *progress = (struct progress){.live = isatty(2) && !dumb, .quiet = quiet, .verbosity = verbosity, .total = total};
}

static const int64_t silence_ns = 30000000000, second_ns = 1000000000;

static void clear_line(const struct progress *progress) {
  if (progress->live) fputs("\r\033[K", stderr);
}

void progress_limit(struct progress *progress, int64_t begun_ns, double limit_s) {
  progress->begun_ns = begun_ns;
  progress->limit_s = limit_s;
}

/* Shows the progress in a line that fits the width of the terminal, because only one line is cleared before the next
 * one. */
static void show_progress(const struct progress *progress) {
  char head[80];
  const double gone_s = clock_seconds_since(progress->begun_ns);
  int length = snprintf(head, sizeof head, "[%zu/%zu] %.0f s", progress->done + 1, progress->total, gone_s);
  if (isfinite(progress->limit_s))
    length += snprintf(head + length, sizeof head - (size_t)length, " of at most %.0f", progress->limit_s);
  const int free = output_width() - length - 2;
  fprintf(stderr, "\r\033[K%s %.*s", head, free > 0 ? free : 0, progress->running->key);
}

void progress_case_begins(struct progress *progress, const struct plan_case *p) {
  progress->running = p;
  progress->spoke_ns = clock_now_ns();
  if (progress->live && !progress->quiet) show_progress(progress);
}

static void print_time(double ns) {
  static const char *const units[] = {"ns", "us", "ms", "s"};
  size_t unit = 0;
  for (; ns >= 999.95 && unit < 3; unit++)
    ns /= 1000;
  fprintf(stderr, " %.4g %s", ns, units[unit]);
}

static void print_times(const struct progress *progress, const struct plan_case *p, const struct record *records) {
  fprintf(stderr, "[%zu/%zu] %s:", progress->done, progress->total, p->key);
  for (size_t i = 0; i < p->variant_count; i++) {
    fprintf(stderr, "%s %s", i ? "," : "", records[i].variant);
    if (isnan(records[i].median_raw_ns))
      fprintf(stderr, " %s", records[i].status);
    else
      print_time(records[i].median_raw_ns);
  }
  fputc('\n', stderr);
}

static void print_notes(const struct record *record) {
  char key[ID_SIZE], text[TEXT_SIZE];
  const char *at = record->notes;
  fprintf(stderr, "  %s:", record->variant);
  for (bool first = true; note_next(&at, key, sizeof key, text, sizeof text); first = false)
    fprintf(stderr, "%s %s %s", first ? "" : ",", key, text);
  fputc('\n', stderr);
}

/* Prints how long preparing a variant took, if that took noticeably long, for example because the variant compiles code
 * or tunes itself. */
static void print_start(const struct record *record) {
  static const double told_s = 0.1;
  if (!(record->prepare_s >= told_s)) return;
  fprintf(stderr, "  %s: prepare and first call", record->variant);
  print_time(record->prepare_s * 1e9);
  if (!isnan(record->prepare_warm_s)) fputs(", in later processes", stderr), print_time(record->prepare_warm_s * 1e9);
  fputc('\n', stderr);
}

void progress_case_ends(struct progress *progress, const struct plan_case *p, const struct record *records) {
  progress->done++;
  progress->running = NULL;
  clear_line(progress);
  if (progress->quiet) return;
  if (!progress->live) print_times(progress, p, records);
  for (size_t i = 0; i < p->variant_count; i++) {
    const struct record *r = &records[i];
    if (strcmp(r->status, "ok") != 0 && strcmp(r->status, "skipped") != 0)
      fprintf(stderr, "  %s %s: %s\n", r->variant, r->status, r->message ? r->message : "");
    if (progress->verbosity > 0 && r->notes != NULL) print_notes(r);
    if (progress->verbosity > 0) print_start(r);
  }
}

void progress_tick(struct progress *progress) {
  if (progress->quiet || progress->running == NULL) return;
  if (clock_now_ns() - progress->spoke_ns < (progress->live ? second_ns : silence_ns)) return;
  progress->spoke_ns = clock_now_ns();
  if (progress->live) {
    show_progress(progress);
    return;
  }
  fprintf(stderr, "[%zu/%zu] %s: running\n", progress->done + 1, progress->total, progress->running->key);
}

void progress_log(const struct progress *progress, const struct log_message *message) {
  if (progress->quiet || (message->level < 2 && progress->verbosity == 0)) return;
  clear_line(progress);
  fprintf(stderr, "%s: %s\n", message->plugin, message->text);
}
