/* Runs simple kernels in a separate gpubench process, as a user would, and reads their times from its results.
 * `gpubench doctor` compares them with known times of this GPU model. */
#include "doctor/deep.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/tree.h"
#include "history/night.h"
#include "history/series.h"
#include "history/store.h"
#include "machine/kernel_files.h"
#include "machine/scratch.h"
#include "stats/math.h"

/* The times with which measured yardsticks (simple kernels such as a copy) are compared. They are median times of
 * default runs of `gpubench calibrate.so`, including launches, on machines without findings of doctor. Times of a
 * --quick run are within a few percent of these. To support another model of GPU, run that command on it and add the
 * times. */

struct reference {
  const char *device, *what;
  double us;
};

/* clang-format off */
static const struct reference references[] = {
    /* measured on two machines, 2026-11-25 and 2026-11-27, driver 580, CUDA 13.0 */
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/read[bytes=1073741824] vector, cold", 237},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/write[bytes=1073741824] vector, cold", 240},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/write[bytes=1073741824] memset, cold", 235},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1073741824] vector, cold", 538},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1073741824] memcpy, cold", 503},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1073741824] pack, cold", 493},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1073741824] bulk, cold", 495},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/fma[lanes=540672,steps=8192] ffma, cold", 2286},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/tensor[tiles=264,repeats=1024] mma, cold", 1764},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/tensor[tiles=264,repeats=1024] wgmma, cold", 1222},
};
/* clang-format on */

double doctor_reference_ns(const char *device, const char *what) {
  for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
    if (strcmp(references[i].device, device) == 0 && strcmp(references[i].what, what) == 0)
      return 1e3 * references[i].us;
  return NAN;
}

enum { RUN_S = 15, WAIT_S = 90 /* the run also takes time to start, verify and end */, NIGHTS_ASKED = 20 };

/* ---- Starting the run ---- */

/* Waits for the run and returns its exit code; 128 or more: a signal ended it. */
static int wait_for_run(pid_t pid) {
  const int64_t until_ns = clock_now_ns() + WAIT_S * (int64_t)1000000000;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (clock_now_ns() > until_ns) kill(pid, SIGKILL); /* the run's worker processes end when the run is killed */
    usleep(10000);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_calibrate(const char *folder, const char *device) {
  char out[PATH_MAX + 8], errors[PATH_MAX + 8], seconds[16];
  posix_spawn_file_actions_t actions;
  pid_t pid = -1;
  snprintf(out, sizeof out, "%s/run", folder);
  snprintf(errors, sizeof errors, "%s/errors", folder);
  snprintf(seconds, sizeof seconds, "%ds", RUN_S);
  const char *const words[] = {"gpubench", "run",    "--plugin",   "calibrate.so", "--quick", "-q", "--device", device,
                               "--lock",   "refuse", "--max-time", seconds,        "--out",   out,  NULL};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0600);
  int failed = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed ? 127 : wait_for_run(pid);
}

static void take_yardstick(const struct run_data *data, const struct record *row, struct doctor_deep *deep) {
  struct doctor_yardstick *y = &deep->yardsticks[deep->count];
  const char *status = text_or_empty(row->status);
  bool ok = strcmp(status, "ok") == 0;
  if (strcmp(status, "skipped") == 0 || strcmp(status, "not_run") == 0) return;
  *y = (struct doctor_yardstick){.ns = NAN, .shown_ns = NAN};
  snprintf(y->what, sizeof y->what, "%.700s %.64s, %.64s", text_or_empty(row->case_key), text_or_empty(row->variant),
           text_or_empty(row->mode));
  if (!ok) snprintf(y->wrong, sizeof y->wrong, "%.32s: %.200s", status, text_or_empty(row->message));
  if (ok && row->contended != 1) y->ns = row->median_raw_ns;
  text_sanitize(y->what);
  text_sanitize(y->wrong);
  SCOPED char *kind = night_device_kind(run_data_environment(data, row), row);
  text_copy(y->device, sizeof y->device, kind);
  text_sanitize(y->device);
  deep->count++;
}

/* ---- Times of earlier nights ---- */

static void recall_yardstick(const struct history_series *series, size_t nights, struct doctor_yardstick *y) {
  double shown[NIGHTS_ASKED];
  size_t count = 0;
  for (size_t i = nights; i-- > 0 && count < NIGHTS_ASKED;)
    if (series->points[i].there && series->points[i].ns > 0 && !series->points[i].contended)
      shown[count++] = series->points[i].ns;
  if (count == 0) return;
  y->shown_ns = stats_median(shown, count);
  y->nights = (int64_t)count;
}

static void read_history(const char *path, struct doctor_deep *deep) {
  const struct strings all = {0};
  const struct history_choice choice = {false, &all, &all};
  struct history history;
  struct history_data data = {0};
  struct err err = {0};
  char what[KEY_SIZE];
  if (history_open(path, false, &history, &err) != 0) {
    snprintf(deep->fault, sizeof deep->fault, "%.250s", err.text);
    return;
  }
  if (history_read(&history, &choice, &data, &err) != 0) snprintf(deep->fault, sizeof deep->fault, "%.250s", err.text);
  for (size_t i = 0; i < data.series_count; i++) {
    const struct history_series *series = &data.series[i];
    snprintf(what, sizeof what, "%.700s %.64s, %.64s", series->case_key, series->variant, series->mode);
    for (int64_t y = 0; y < deep->count; y++)
      if (strcmp(series->device, deep->yardsticks[y].device) == 0 && strcmp(what, deep->yardsticks[y].what) == 0)
        recall_yardstick(series, data.night_count, &deep->yardsticks[y]);
  }
  history_data_free(&data);
  history_close(&history);
}

static void read_deep_run(const char *folder, int code, struct doctor_deep *deep) {
  char path[PATH_MAX + 8];
  struct run_data data;
  struct err err = {0};
  snprintf(path, sizeof path, "%s/run", folder);
  if (access(path, F_OK) == 0 && run_data_load(path, &data, &err) == 0) {
    for (size_t i = 0; i < data.count && deep->count < YARDSTICKS_MOST; i++)
      take_yardstick(&data, &data.records[i], deep);
    run_data_free(&data);
  }
  if (deep->count > 0) return;
  snprintf(path, sizeof path, "%s/errors", folder);
  char line[TEXT_SIZE - 64];
  tree_text("", line, sizeof line, "%s", path);
  deep->refused = code == EXIT_USAGE;
  snprintf(deep->fault, sizeof deep->fault, "gpubench calibrate.so ended with %d: %s", code, line);
}

void doctor_deep_read(const char *device, const char *history, struct doctor_deep *deep) {
  struct scratch scratch;
  struct err err = {0};
  char folder[PATH_MAX];
  *deep = (struct doctor_deep){.asked = true};
  scratch_choose(NULL, &scratch);
  snprintf(folder, sizeof folder, "%s/gpubench-doctor-XXXXXX", scratch.base);
  if (mkdtemp(folder) == NULL) {
    snprintf(deep->fault, sizeof deep->fault, "no folder can be made in %.200s", scratch.base);
    return;
  }
  read_deep_run(folder, run_calibrate(folder, device), deep);
  if (history != NULL && deep->fault[0] == '\0') read_history(history, deep);
  for (int64_t i = 0; i < deep->count; i++)
    if (deep->yardsticks[i].nights == 0)
      deep->yardsticks[i].shown_ns = doctor_reference_ns(deep->yardsticks[i].device, deep->yardsticks[i].what);
  tree_remove(folder, &err);
}
