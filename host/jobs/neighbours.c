/* Two runs of the bundled plugin calibrate for each GPU, of a few seconds: by itself, then beside those of the others.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/tree.h"
#include "jobs/state.h"
#include "model/row_status.h"
#include "plan/device_list.h"
#include "record/run_data.h"
#include "worker/signals.h"

/* Beyond both intervals, and by more than --threshold takes for no change; and again when it is looked at again. */
static const double apart = 0.02;
enum { LOOKS = 2 };

/* The row of a GPU that lost most beside the others. */
struct worst {
  size_t job;
  char what[KEY_SIZE + ID_SIZE]; /* "calibrate/copy[bytes=1073741824] pack" */
  double alone_ns, together_ns;
  double loss; /* that is certain: 0.1 of 10%; NaN: nothing was measured twice */
};

/* ---- Measuring ---- */

static char *path_of(const struct jobs *jobs, const char *how, size_t job) {
  return memory_print("%s/%s-%zu", jobs->folder, how, job + 1);
}

static void prepare(const struct jobs *jobs, const char *how, size_t job, struct child *child) {
  const char *const fixed[] = {"run",     "--plugin=calibrate", "--bench=copy", "--bench=fma", "--quick",
                               "--quiet", "--max-time=60"};
  struct err ignored = {0};
  *child = (struct child){.label = jobs->items[job].device, .log = memory_print("%s/neighbours.log", jobs->folder)};
  child->quiet = true;
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
    strings_add(&child->words, fixed[i]);
  if (strcmp(devices_backend(jobs->items[job].device), "cpu") == 0) { /* a scripted one, whose memory is the host's */
    strings_add(&child->words, "--axis=copy.bytes=64k");
    strings_add(&child->words, "--axis=fma.steps=64");
  }
  char *out = path_of(jobs, how, job);
  tree_remove(out, &ignored); /* of before the run was gone on with */
  char *words[] = {memory_print("--device=%s", jobs->items[job].device), memory_print("--out=%s", out),
                   memory_print("--lock=%s", jobs->options->lock != NULL ? jobs->options->lock : "wait")};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    strings_add(&child->words, words[i]);
    free(words[i]);
  }
  free(out);
}

static void measure(const struct jobs *jobs, bool together) {
  struct child *children = xcalloc(jobs->count, sizeof *children);
  for (size_t i = 0; i < jobs->count; i++)
    prepare(jobs, together ? "together" : "alone", i, &children[i]);
  if (together) children_run(children, jobs->count);
  for (size_t i = 0; i < jobs->count && !together && signals_last() == 0; i++)
    children_run(&children[i], 1);
  for (size_t i = 0; i < jobs->count; i++)
    child_free(&children[i]);
  free(children);
}

/* ---- Comparing ---- */

static bool load(const struct jobs *jobs, const char *how, size_t job, struct run_data *data) {
  struct err ignored = {0};
  char *path = path_of(jobs, how, job);
  *data = (struct run_data){0};
  const bool loaded = access(path, F_OK) == 0 && run_data_load(path, data, &ignored) == 0;
  free(path);
  return loaded;
}

static bool is_timed(const struct record *row) {
  return row_status_parse(row->status) == ROW_OK && row->median_raw_ns > 0 && row->ci95_lo_ns > 0 &&
         row->ci95_hi_ns > 0;
}

static const struct record *find(const struct run_data *data, const struct record *like) {
  for (size_t i = 0; i < data->count; i++) {
    const struct record *row = &data->records[i];
    if (is_timed(row) && text_same(row->case_key, like->case_key) && text_same(row->variant, like->variant)) return row;
  }
  return NULL;
}

static void compare(const struct run_data *alone, const struct run_data *together, struct worst *worst) {
  for (size_t i = 0; i < alone->count; i++) {
    const struct record *one = &alone->records[i], *other = is_timed(one) ? find(together, one) : NULL;
    if (other == NULL) continue;
    const double loss = other->ci95_lo_ns / one->ci95_hi_ns - 1;
    if (loss <= worst->loss) continue; /* not so where none is known */
    worst->loss = loss;
    worst->alone_ns = one->median_raw_ns;
    worst->together_ns = other->median_raw_ns;
    snprintf(worst->what, sizeof worst->what, "%s %s", one->case_key, one->variant);
  }
}

static struct worst look_at(struct jobs *jobs, size_t job) {
  struct worst worst = {.job = job, .loss = NAN};
  struct run_data alone, together;
  const bool loaded = load(jobs, "alone", job, &alone);
  if (load(jobs, "together", job, &together) && loaded) compare(&alone, &together, &worst);
  if (loaded && alone.count > 0) {
    free(jobs->items[job].uuid);
    jobs->items[job].uuid = xstrdup(text_or_empty(alone.records[0].devices));
  }
  run_data_free(&alone);
  run_data_free(&together);
  text_sanitize(worst.what);
  return worst;
}

/* What is not known is the worst. */
static struct worst look_at_all(struct jobs *jobs) {
  struct worst most = {.loss = -INFINITY};
  for (size_t i = 0; i < jobs->count; i++) {
    const struct worst one = look_at(jobs, i);
    if (!isnan(most.loss) && !(one.loss <= most.loss)) most = one;
  }
  return most;
}

static void say(struct jobs *jobs, const struct worst *worst) {
  const char *device = jobs->items[worst->job].device;
  char alone[32], together[32];
  number_time(alone, sizeof alone, worst->alone_ns);
  number_time(together, sizeof together, worst->together_ns);
  if (isnan(worst->loss))
    pairs_add(&jobs->said, "neighbours",
              "not known: %s could not be measured alone and beside the others (%s/neighbours.log), so one after the "
              "other",
              device, jobs->folder);
  else
    pairs_add(&jobs->said, "neighbours", "%s: %s: %s takes %s alone and %s beside the others%s",
              jobs->apart ? "they disturb each other" : "not disturbed", device, worst->what, alone, together,
              jobs->apart ? ", so one after the other" : ", the most that any lost");
}

void neighbours_look(struct jobs *jobs) {
  struct worst worst = {.loss = NAN};
  for (int i = 0; i < LOOKS && signals_last() == 0; i++) {
    measure(jobs, false);
    measure(jobs, true);
    worst = look_at_all(jobs);
    if (worst.loss <= apart || isnan(worst.loss)) break;
  }
  jobs->apart = !(worst.loss <= apart);
  if (signals_last() == 0) say(jobs, &worst);
}
