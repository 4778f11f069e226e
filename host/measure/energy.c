/* Measures the energy of each variant: keeps the device busy with it and watches the energy counter. Runs after the
 * timed samples and apart from them, because reading the counter takes milliseconds and a hot device is slower. */
#include "measure/steps.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "case/case.h"
#include "case/contents.h"
#include "device/energy_source.h"

enum { READINGS_MOST = 4096, SPANS_MOST = 200 };
enum { STEP_SAMPLES = 8, IDLE_WINDOWS = 8, REPLICAS_MOST = 100000 };
static const double step_s = 0.2, scripted_step_s = 0.04, pause_s = 0.001, power_s = 0.02, give_up_s = 2;
static const double preheat_least_s = 1, window_least_s = 0.5, least_steps = 4, uncertainty_share = 2;
/* The idle power has settled if its means over two successive windows of idle_window_s differ by less than the larger
 * of two limits: settled_w, and settled_share of the power. */
static const double idle_window_s = 0.5, settled_w = 2, settled_share = 0.02;
static const double idle_lasts_s = 30;
static const double disagreement_allowed = 0.03, gap_allowed = 0.02;

struct reading {
  int64_t ns;
  double watts;
};

/* A loop that reads the sensors which the energy meter asks for. It runs in a separate thread or, if time comes from a
 * script, in the main thread. */
struct watch {
  struct energy_source *source;
  struct energy_meter meter;
  struct reading *readings; /* room for READINGS_MOST power readings; NULL: they are not kept */
  uint32_t reading_count;
  _Atomic bool inside, over, stop;
};

static void keep_reading(struct watch *w, int64_t ns, double watts) {
  const bool inside = w->meter.phase == ENERGY_INSIDE;
  if (inside && w->readings != NULL && isfinite(watts) && w->reading_count < READINGS_MOST)
    w->readings[w->reading_count++] = (struct reading){ns, watts};
}

/* Reads the sensor that the meter wants next. Returns false when the meter needs no more readings. */
static bool watch_step(struct watch *w, bool rests) {
  struct energy_source *source = w->source;
  int64_t before = source->now(source);
  enum energy_want want = energy_wants(&w->meter, before);
  if (want == ENERGY_COUNTER) {
    double joules = source->joules(source);
    energy_counter(&w->meter, before, source->now(source), joules);
  } else if (want == ENERGY_POWER) {
    double watts = source->watts(source);
    energy_power(&w->meter, before, source->now(source), watts);
    keep_reading(w, before, watts);
  } else if (rests && want == ENERGY_NOTHING) {
    source->rest(source, pause_s);
  }
  w->inside = w->meter.phase >= ENERGY_INSIDE;
  w->over = want == ENERGY_END;
  return want != ENERGY_END;
}

static void *watch_thread(void *argument) {
  struct watch *w = argument;
  while (!w->stop && watch_step(w, true)) {
  }
  return NULL;
}

/* ---- Idle ---- */

/* Measures the power of the idle device in successive windows (intervals of idle_window_s) until two of them agree. If
 * none do, keeps the power of the last window and sets `settled` to false. */
static void look_at_idle(struct measurement *m, struct energy_source *source) {
  const struct energy_plan plan = {
      .window_s = idle_window_s, .give_up_s = give_up_s, .age_s = source->age_s, .power_s = power_s};
  double former = NAN, power = NAN;
  bool settled = false;
  for (int i = 0; i < IDLE_WINDOWS && !settled && !measure_stopped(m); i++) {
    struct watch watch = {.source = source};
    struct energy_window window;
    energy_begin(&watch.meter, &plan, source->now(source));
    while (watch_step(&watch, true)) {
      phase_go_on(m->c->page);
      if (watch.meter.phase != ENERGY_INSIDE) source->rest(source, pause_s);
    }
    energy_result(&watch.meter, &window);
    former = power;
    power = window.power_w;
    settled = fabs(power - former) < fmax(settled_w, settled_share * power);
  }
  m->c->device->idle = (struct idle_power){true, settled, source->now(source), power};
}

static bool idle_is_old(const struct measurement *m, struct energy_source *source) {
  const struct idle_power *idle = &m->c->device->idle;
  return !idle->known || (double)(source->now(source) - idle->ns) > idle_lasts_s * 1e9;
}

/* ---- A variant ---- */

struct drive {
  struct measurement *m;
  struct contestant *k;
  enum timing timing;
  /* samples: number of samples per step (one slot, after which it is checked whether the meter needs more readings);
   * replicas: iterations per sample */
  uint32_t samples, replicas;
  double step_ns;
  uint64_t iterations;               /* iterations run within the window (the time over which the energy is counted) */
  double busy_ns;                    /* time of these iterations by the device's clock */
  int64_t window_from, window_until; /* start and end of the window by the clock of the energy source */
};

static int run_step(struct drive *d, double *ns, struct err *err) {
  double all[STEP_SAMPLES];
  struct contestant *k = d->k;
  struct slot_task task = {.timing = d->timing, .count = d->samples, .free_running = true, .ns = all};
  uint32_t former = k->replicas;
  d->m->running = k;
  k->replicas = d->replicas;
  int rc = contestant_slot(k, &task, err);
  k->replicas = former;
  if (rc != 0) return -1;
  d->m->running = NULL;
  measure_tell(d->m, k);
  *ns = 0;
  for (uint32_t i = 0; i < d->samples; i++)
    *ns += all[i] * d->replicas;
  return 0;
}

/* Chooses the number of samples in a step (a slot run while the energy is counted) and of iterations in a sample. A
 * step is long compared with the gap between steps. On a scripted device it is short compared with the interval at
 * which the counter changes. */
static int size_step(struct drive *d, struct err *err) {
  double ns = 0, step_ns = (device_is(d->m->c->device, DEVICE_SCRIPTED) ? scripted_step_s : step_s) * 1e9;
  d->samples = 2;
  d->replicas = d->timing == TIMING_GRAPH ? d->k->replicas : 1; /* a graph replays as many as were captured */
  if (run_step(d, &ns, err) != 0) return -1;
  double each = fmax(ns / 2, 1), sample_ns = step_ns / STEP_SAMPLES;
  d->samples = (uint32_t)fmax(1, fmin(STEP_SAMPLES, step_ns / each));
  if (d->timing == TIMING_HOT) d->replicas = (uint32_t)fmax(1, fmin(REPLICAS_MOST, sample_ns / each));
  d->step_ns = each * d->samples * d->replicas;
  return 0;
}

static void note_step(struct drive *d, const struct watch *w, int64_t began, double ns) {
  if (d->window_from == 0) d->window_from = began;
  d->window_until = w->source->now(w->source);
  d->iterations += (uint64_t)d->samples * d->replicas;
  d->busy_ns += ns;
}

static int keep_busy(struct drive *d, struct watch *w, struct err *err) {
  bool scripted = device_is(d->m->c->device, DEVICE_SCRIPTED);
  double ns = 0;
  while (!w->over && contestant_alive(d->k) && !measure_stopped(d->m)) {
    bool inside = w->inside;
    int64_t began = w->source->now(w->source);
    if (run_step(d, &ns, err) != 0) return -1;
    if (inside && contestant_alive(d->k)) note_step(d, w, began, ns);
    if (scripted) watch_step(w, false);
  }
  return 0;
}

static enum timing timing_of(const struct measurement *m, const struct contestant *k) {
  if (k->capture != NULL) return TIMING_GRAPH;
  bool sync = (k->variant->own.flags & GB_VARIANT_SYNC) != 0 && device_is(m->c->device, DEVICE_QUEUES);
  return sync ? TIMING_WALL : TIMING_HOT;
}

static const char *timing_words(enum timing timing) {
  return timing == TIMING_GRAPH ? "graph replays" : timing == TIMING_WALL ? "call after call" : "back to back";
}

static void conclude(const struct drive *d, const struct watch *w, double idle_w, struct energy_figures *f) {
  struct energy_window window;
  double wall_ns = (double)(d->window_until - d->window_from);
  energy_result(&w->meter, &window);
  if (window.stuck) phrase_add(f->fault, sizeof f->fault, "; ", "the counter did not move in %.0f s", give_up_s);
  if (window.stuck || d->iterations == 0) return;
  struct energy_per_iteration each = energy_per_iteration(&window, idle_w, wall_ns / (double)d->iterations);
  f->joules = each.joules;
  f->net_joules = each.net_joules;
  f->relative_unc = each.relative_unc;
  f->power_w = window.power_w;
  f->disagreement = window.disagreement;
  snprintf(f->method, sizeof f->method, "%.60s, %.2f s, %s", w->source->method, window.seconds,
           timing_words(d->timing));
  if (fabs(window.disagreement) > disagreement_allowed)
    phrase_add(f->fault, sizeof f->fault, "; ", "counter and power readings differ by %.1f%%",
               100 * fabs(window.disagreement));
  if (d->busy_ns < (1 - gap_allowed) * wall_ns)
    phrase_add(f->fault, sizeof f->fault, "; ", "the device was idle for %.0f%% of it",
               100 * (1 - d->busy_ns / wall_ns));
}

/* Sends the power readings as a timeline, averaged in groups so that they are few enough to be drawn. */
static void tell_power(const struct measurement *m, const struct contestant *k, const struct watch *w) {
  struct timeline timeline = {0};
  const uint32_t group = (w->reading_count + SPANS_MOST - 1) / SPANS_MOST;
  if (k->values.wants_timeline || m->sink->timeline == NULL || w->reading_count < 2) return;
  for (uint32_t i = 0; i + 1 < w->reading_count; i += group) {
    const uint32_t end = i + group < w->reading_count ? i + group : w->reading_count - 1;
    struct timeline_span span = {.lane = TIMELINE_POWER,
                                 .begin_ns = w->readings[i].ns - w->readings[0].ns,
                                 .end_ns = w->readings[end].ns - w->readings[0].ns};
    double sum = 0;
    for (uint32_t j = i; j < end; j++)
      sum += w->readings[j].watts;
    snprintf(span.label, sizeof span.label, "%.1f W", sum / (end - i));
    timeline_add(&timeline, &span);
  }
  m->sink->timeline(m->sink->user, k->index, &timeline);
  timeline_free(&timeline);
}

/* Runs the variant until the meter has its readings. `thread` reads the sensors and is ended here; NULL: there is no
 * such thread. */
static int drive_watched(struct drive *d, struct watch *w, const pthread_t *thread, struct err *err) {
  int rc = keep_busy(d, w, err);
  w->stop = true;
  if (thread != NULL) pthread_join(*thread, NULL);
  return rc;
}

/* Returns the relative uncertainty of the energy that is acceptable. The energy is uncertain because the counter is
 * read only at the two ends of a window. The result is a multiple of the precision that is wanted for times. A smaller
 * one would be of no use, because energies scatter between runs as much as times do. */
static double uncertainty_of(const struct measurement *m) {
  return uncertainty_share * m->request->precision;
}

/* Plans the measurement: the window (the time over which the energy is counted) lasts as long as necessary, but at most
 * the `energy_s` seconds asked for. */
static struct energy_plan plan_energy(const struct drive *d, const struct energy_source *source) {
  const double window_s = d->m->request->energy_s;
  return (struct energy_plan){.preheat_s = 2 * window_s,
                              .preheat_least_s = preheat_least_s,
                              .window_s = window_s,
                              .window_least_s = fmax(window_least_s, least_steps * d->step_ns * 1e-9),
                              .uncertainty = uncertainty_of(d->m),
                              .give_up_s = give_up_s,
                              .age_s = source->age_s,
                              .power_s = power_s};
}

static int measure_one(struct measurement *m, struct contestant *k, struct energy_source *source, double idle_w,
                       struct err *err) {
  struct drive drive = {.m = m, .k = k, .timing = timing_of(m, k)};
  struct watch watch = {.source = source};
  pthread_t thread;
  if (size_step(&drive, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  const struct energy_plan plan = plan_energy(&drive, source);
  watch.readings = xcalloc(READINGS_MOST, sizeof *watch.readings);
  energy_begin(&watch.meter, &plan, source->now(source));
  bool threaded = !device_is(m->c->device, DEVICE_SCRIPTED);
  int rc = 0;
  if (threaded && pthread_create(&thread, NULL, watch_thread, &watch) != 0)
    rc = err_set(err, EXIT_FAILED, "energy: cannot start the thread that reads the counter");
  else
    rc = drive_watched(&drive, &watch, threaded ? &thread : NULL, err);
  if (rc == 0 && contestant_alive(k) && !measure_stopped(m)) {
    conclude(&drive, &watch, idle_w, &k->report.energy);
    tell_power(m, k, &watch);
  }
  free(watch.readings);
  return rc;
}

/* ---- The case ---- */

static void unavailable(struct contestant *k, const char *why) {
  snprintf(k->report.energy.method, sizeof k->report.energy.method, "unavailable: %.240s", why);
}

static void all_unavailable(struct measurement *m, const char *why) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    unavailable(k, why);
}

static void note_idle(struct measurement *m, double before_w, double after_w, bool settled) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    struct energy_figures *f = &k->report.energy;
    f->idle_w = before_w;
    if (!settled) phrase_add(f->fault, sizeof f->fault, "; ", "idle power did not settle");
    if (fabs(after_w - before_w) > settled_w)
      phrase_add(f->fault, sizeof f->fault, "; ", "idle power was %.1f W before and %.1f W after", before_w, after_w);
  }
}

static int with_source(struct measurement *m, struct energy_source *source, struct err *err) {
  if (idle_is_old(m, source)) look_at_idle(m, source);
  const struct idle_power before = m->c->device->idle;
  for (struct contestant *k = measure_next(m, 0); k != NULL && !measure_stopped(m); k = measure_next(m, k->index + 1))
    if (k->variant->own.before != NULL)
      unavailable(k, "its `before` comes between iterations");
    else if (measure_one(m, k, source, before.watts, err) != 0)
      return -1;
  if (idle_is_old(m, source)) look_at_idle(m, source);
  const struct idle_power after = m->c->device->idle;
  note_idle(m, before.watts, after.watts, before.settled && after.settled);
  return 0;
}

int measure_energy(struct measurement *m, struct err *err) {
  char why[TEXT_SIZE] = "this device reports none";
  const struct device_ops *ops = m->c->device->ops;
  if (measure_next(m, 0) == NULL || measure_stopped(m)) return 0;
  const bool iterable = (m->c->bench->own.flags & (GB_BENCH_ITERABLE | GB_BENCH_STATEFUL)) != 0;
  if (tensors_need_restore(m->c) && !iterable) {
    all_unavailable(m, "it changes its inputs, which are put back between iterations");
    return 0;
  }
  if (case_devices(m->c) > 1) {
    all_unavailable(m, "it works on several devices, and one alone would be counted");
    return 0;
  }
  struct energy_source *source = ops->energy == NULL ? NULL : ops->energy(m->c->device, why, sizeof why);
  if (source == NULL) {
    all_unavailable(m, why);
    return 0;
  }
  int rc = with_source(m, source, err);
  source->close(source);
  return rc;
}
