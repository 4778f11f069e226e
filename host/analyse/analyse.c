/* Computes the statistics and rates of the variants of one case, and the marks of their rows: notes that limit what may
 * be concluded from a row. */
#include "analyse/analyse.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyse/speedup.h"
#include "analyse/untimed.h"
#include "ask/seats.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "model/axis.h"
#include "model/device_trait.h"
#include "model/proof/outside.h"
#include "model/proof/unproven.h"
#include "plan/expand.h"
#include "stats/launch_overhead.h"
#include "stats/restarts.h"

/* Returns the shortest time in which the device can read and write the bytes of `work` at its ceilings, the highest
 * rates that were measured on it. Work that mostly reads or mostly writes has a ceiling of its own. */
static double memory_ns(const struct ceilings *ceilings, const struct work *work) {
  double bytes = work->bytes_read + work->bytes_written, ceiling = ceilings->copy_gb_per_s;
  if (bytes <= 0) return 0;
  if (work->bytes_read >= 0.9 * bytes) ceiling = fmax(ceiling, ceilings->read_gb_per_s);
  if (work->bytes_written >= 0.9 * bytes) ceiling = fmax(ceiling, ceilings->write_gb_per_s);
  return bytes / ceiling;
}

struct least_time analyse_least_time(const struct ceilings *ceilings, const char *math, const struct work *work) {
  double tflops = NAN;
  if (strcmp(math, "fp32") == 0) tflops = ceilings->fp32_tflops;
  /* bf16 and fp16 have the same rate on every GPU, so both use the ceiling of bf16 */
  if (strcmp(math, "bf16") == 0 || strcmp(math, "fp16") == 0) tflops = ceilings->bf16_tflops;
  return (struct least_time){work->flops > 0 ? work->flops / (tflops * 1e3) : 0, memory_ns(ceilings, work)};
}

/* Returns NaN even if only one of the two least times (for arithmetic and for memory) is unknown, because the unknown
 * one may be the longer. */
double analyse_ceiling_share(const struct least_time *least, double ns) {
  bool known = !isnan(least->math_ns) && !isnan(least->memory_ns) && least->math_ns + least->memory_ns > 0;
  return known ? fmax(least->math_ns, least->memory_ns) / ns : NAN;
}

/* The hardware allows more than a ceiling, which is the highest rate that one of our kernels reached. So only a rate
 * that exceeds the ceiling by a margin counts as impossible. cache_margin is for inputs that are read from caches. */
double analyse_above_ceiling(const struct ceilings *ceilings, const struct device_facts *facts, const char *math,
                             const struct work *work, bool cold, double ns) {
  const bool gpu = facts->l2_bytes > 0;
  const double margin = gpu ? 1.1 : 3, cache_margin = gpu ? 5 : 50, math_margin = gpu ? 1.5 : 3;
  const double best = fmax(ceilings->copy_gb_per_s, fmax(ceilings->read_gb_per_s, ceilings->write_gb_per_s));
  const double bytes = work->bytes_read + work->bytes_written, cached = gpu ? (double)facts->l2_bytes : INFINITY;
  const double passing = bytes > 4 * cached ? bytes / 2 : 0;
  const double uncached = cold ? work->bytes_read + fmax(0, work->bytes_written - cached) : passing;
  const double memory = fmax(uncached / margin, bytes / cache_margin) / best / ns;
  const double arithmetic = analyse_least_time(ceilings, math, work).math_ns / math_margin / ns;
  const double above = fmax(memory, arithmetic); /* fmax() ignores NaN */
  return isfinite(above) && above > 1 ? above : 0;
}

const char *analyse_bound(const struct least_time *least, double ns) {
  double share = analyse_ceiling_share(least, ns);
  if (isnan(share)) return NULL;
  if (share < 1.0 / 3) return "latency";
  return least->memory_ns >= least->math_ns ? "memory" : "compute";
}

/* Returns true if the results of timed iterations cannot be verified: each iteration of a batch is applied to the
 * results of the one before, and the reference covers only a single one. Returns false for a bench with trajectories,
 * because its `verify` judges their results. */
static bool is_batch_unverified(uint32_t bench_flags, struct mode mode) {
  return (bench_flags & BENCH_ITERABLE) != 0 && (bench_flags & BENCH_STATEFUL) == 0 && mode_is_batched(mode);
}

/* Sets the row's `unverified_work` to a text that says which results the host cannot compare with a reference,
 * according to the flags of bench and variant. */
static void set_unverified(struct record *r, uint32_t bench_flags, struct mode mode,
                           const struct variant_desc *variant) {
  char text[TEXT_SIZE] = "";
  if ((bench_flags & BENCH_STATEFUL) != 0)
    phrase_add(text, sizeof text, "; ", "steps after a trajectory's first, which the bench's verify judges");
  else if (is_batch_unverified(bench_flags, mode))
    phrase_add(text, sizeof text, "; ", "what a batch makes of its own results");
  if ((variant->flags & VARIANT_PROCESSES) != 0)
    phrase_add(text, sizeof text, "; ", "what its processes do between its slots");
  if (text[0] != '\0') record_set(&r->unverified_work, text);
}

static void set_identity(struct record *r, const struct run_identity *identity, const struct plan_case *p,
                         const struct plan_variant *pv) {
  const struct catalog_plugin *owner = &identity->catalog->plugins[p->plugin];
  const struct catalog_plugin *provider = &identity->catalog->plugins[pv->plugin];
  const struct variant_desc *variant = &provider->variants[pv->variant];
  const struct device_facts *facts = identity->facts;
  char text[EXPR_SIZE * 2];
  r->schema = RECORD_SCHEMA;
  record_set(&r->timestamp_utc, clock_date(CLOCK_DATE).text);
  record_set(&r->run_id, identity->run_id);
  record_set(&r->host, identity->host);
  record_set(&r->devices, facts->uuid[0] ? facts->uuid : facts->spec);
  record_set(&r->device_name, facts->name);
  if (facts->driver[0]) record_set(&r->driver, facts->driver);
  record_set(&r->plugin, owner->desc.id);
  record_set(&r->provider, provider->desc.id);
  record_set(&r->plugin_version, provider->desc.version);
  record_set(&r->plugin_sha256, provider->sha256);
  record_set(&r->bench, p->id);
  record_set(&r->contract, owner->benches[p->bench].contract);
  record_set(&r->case_key, p->key);
  if (p->point.preset[0]) record_set(&r->preset, p->point.preset);
  point_text(&p->point, text, sizeof text);
  record_set(&r->axes, text);
  record_set(&r->variant, pv->name);
  record_set(&r->backend, variant->backend);
  record_set(&r->mode, mode_name(p->mode));
  if ((variant->flags & VARIANT_YARDSTICK) != 0) r->yardstick = 1;
  if ((variant->flags & VARIANT_DERIVED) != 0) r->derived = 1;
  set_unverified(r, owner->benches[p->bench].flags, p->mode, variant);
  r->seed = (int64_t)identity->seed;
  r->quick = identity->quick;
  r->isolated = identity->isolated ? (int64_t)seats_of(p) : 0;
}

static void set_outcome(struct record *r, const struct variant_result *v, const struct variant_desc *variant) {
  record_set(&r->status, row_status_name(v->status));
  record_set(&r->math, v->figures.math[0] ? v->figures.math : variant->math);
  if (v->message[0]) record_set(&r->message, v->message);
  SCOPED char *text = note_text(&v->extras.notes);
  record_set(&r->notes, text);
  r->verify_error = v->figures.error;
  r->verify_tolerance = v->figures.tolerance;
}

static void set_times(struct record *r, const struct distribution *s, double tick_ns) {
  r->samples = (int64_t)s->samples;
  r->rounds = (int64_t)s->rounds;
  r->outliers = (int64_t)s->outliers;
  r->outliers_far = (int64_t)s->outliers_far;
  r->median_raw_ns = s->median;
  r->mean_ns = s->mean;
  r->stddev_ns = s->stddev;
  r->mad_ns = s->mad;
  r->cv = s->cv;
  r->skew = s->skew;
  r->n_eff = s->n_eff;
  r->drift = s->drift;
  r->min_ns = s->min;
  r->p05_ns = s->p05;
  r->p25_ns = s->p25;
  r->p75_ns = s->p75;
  r->p95_ns = s->p95;
  r->p99_ns = s->p99;
  r->p999_ns = s->p999;
  r->max_ns = s->max;
  r->p95_lo_ns = s->p95_ci.lo;
  r->p95_hi_ns = s->p95_ci.hi;
  r->p99_lo_ns = s->p99_ci.lo;
  r->p99_hi_ns = s->p99_ci.hi;
  r->p999_lo_ns = s->p999_ci.lo;
  r->p999_hi_ns = s->p999_ci.hi;
  r->ci95_lo_ns = s->ci95_lo;
  r->ci95_hi_ns = s->ci95_hi;
  r->tick_ns = tick_ns;
}

/* Writes the numbers of the processes (epochs) that measured the variant, such as "1;3". */
static void set_epochs(struct record *r, const struct variant_result *v) {
  char text[TEXT_SIZE] = "";
  uint32_t last = 0;
  r->restarts = 0;
  for (size_t i = 0; i < v->slot_count; i++) {
    size_t used = strlen(text);
    if (v->slots[i].epoch == last) continue;
    last = v->slots[i].epoch;
    r->restarts++;
    snprintf(text + used, sizeof text - used, "%s%" PRIu32, used ? ";" : "", last);
  }
  record_set(&r->epochs, text);
}

/* Adds to the row's message which metrics lost values because these were not finite. */
static void set_lost(struct record *r, const struct variant_result *v) {
  char text[MSG_SIZE];
  if (extras_lost(&v->extras, text, sizeof text)) record_add_message(r, text);
}

/* Computes the spread between processes. */
static void set_restarts(struct record *r, const struct variant_result *v, const struct run_identity *identity,
                         double tick_ns) {
  struct restart_side side;
  set_epochs(r, v);
  if (stats_side(v->slots, v->slot_count, tick_ns, identity->seed, &side) == 0) r->restart_sd = side.sd;
}

/* Sets the median less the launch overhead, with its interval. If that difference is too uncertain (by more than half
 * of its value), it stays unset; the row's message says so if the overhead is a large part of the median. */
static void set_overhead(struct record *r, const struct case_report *report) {
  const struct launch_overhead overhead = {report->launch_overhead_ns, report->launch_overhead_unc_ns};
  struct interval left;
  char text[TEXT_SIZE];
  r->launch_overhead_ns = overhead.ns;
  r->launch_overhead_unc_ns = overhead.unc_ns;
  if (overhead_left(&overhead, r->median_raw_ns, (struct interval){r->ci95_lo_ns, r->ci95_hi_ns}, &left)) {
    r->median_ns = r->median_raw_ns - overhead.ns;
    r->median_lo_ns = left.lo;
    r->median_hi_ns = left.hi;
  } else if (overhead_counts(&overhead, r->median_raw_ns) && !isnan(left.hi)) {
    snprintf(text, sizeof text, "no time less the launch overhead: %s +-%s",
             number_time(r->median_raw_ns - overhead.ns).text, number_time((left.hi - left.lo) / 2).text);
    if (r->message == NULL) record_set(&r->message, text);
  }
}

/* Returns the time from which the row's rates are computed: the median or, if the launch overhead is a large part of
 * the median, the median without that overhead. NaN if the result is too uncertain. */
static double working_ns(const struct record *r) {
  const struct launch_overhead overhead = {r->launch_overhead_ns, r->launch_overhead_unc_ns};
  return overhead_counts(&overhead, r->median_raw_ns) ? r->median_ns : r->median_raw_ns;
}

/* Returns an upper limit of the time that the variant itself needs: the median or, if the launch overhead is a large
 * part of the median, the upper end of the interval of the median without that overhead. */
static double longest_ns(const struct record *r) {
  const struct launch_overhead overhead = {r->launch_overhead_ns, r->launch_overhead_unc_ns};
  const bool less = overhead_counts(&overhead, r->median_raw_ns) && r->median_hi_ns > 0;
  return less ? fmin(r->median_hi_ns, r->median_raw_ns) : r->median_raw_ns;
}

/* Marks a row whose rate exceeds the ceiling (the highest rate that was measured on this device). Such a row gets no
 * verdict, because either the variant does less work than it should, or the bench declares more work than is needed. */
static void mark_above_ceiling(struct record *r, const struct work *work, const struct run_identity *identity,
                               const struct ceilings *ceilings) {
  char text[128];
  const bool cold = strncmp(r->mode, "cold", 4) == 0;
  r->above_ceiling = analyse_above_ceiling(ceilings, identity->facts, r->math, work, cold, longest_ns(r));
  if (!(r->above_ceiling > 0)) return;
  snprintf(text, sizeof text, "%.3g times what this device can reach: it does less work than its bench declares",
           r->above_ceiling);
  if (r->message == NULL) record_set(&r->message, text);
}

static void set_work(struct record *r, const struct case_report *report, const struct run_identity *identity,
                     const struct ceilings *ceilings) {
  const struct work work = {(double)report->flops, (double)report->bytes_read, (double)report->bytes_written};
  const double bytes = work.bytes_read + work.bytes_written;
  if (work.flops > 0) r->flops = (int64_t)report->flops;
  if (bytes > 0) r->bytes = (int64_t)(report->bytes_read + report->bytes_written);
  if (report->items > 0) r->items = (int64_t)report->items;
  if (work.flops > 0 && bytes > 0) r->intensity = work.flops / bytes;
  if (isnan(r->median_raw_ns)) return;
  const struct least_time least = analyse_least_time(ceilings, r->math, &work);
  const double ns = working_ns(r);
  if (work.flops > 0) r->tflops = work.flops / ns * 1e-3;
  if (bytes > 0) r->gb_per_s = bytes / ns;
  r->ceiling_share = analyse_ceiling_share(&least, ns);
  record_set(&r->bound, analyse_bound(&least, ns));
  mark_above_ceiling(r, &work, identity, ceilings);
}

/* Sets the state of the machine during the case. The clock rate is the one during this variant's slots (series of
 * samples) or, if they have none, the one during the case. Everything else is the same for all variants of the case. */
static void set_conditions(struct record *r, const struct variant_result *v, const struct case_conditions *conditions) {
  r->sm_clock_mhz = conditions_clock(v->slots, v->slot_count);
  if (isnan(r->sm_clock_mhz)) r->sm_clock_mhz = conditions->sm_clock_mhz;
  r->temperature_c = conditions->temperature_c;
  r->power_w = conditions->power_w;
  r->throttled_share = conditions->throttled_share;
  r->contended = conditions->contended;
  if (conditions->note[0] != '\0') record_set(&r->conditions, conditions->note);
}

static void case_conditions(const struct case_result *result, const struct device_facts *facts,
                            struct case_conditions *conditions) {
  SCOPED struct slot_series *series = xcalloc(result->count, sizeof *series);
  for (size_t i = 0; i < result->count; i++)
    series[i] = (struct slot_series){result->variants[i].slots, result->variants[i].slot_count};
  conditions_of_case(series, result->count, &result->report.conditions, &result->report.host,
                     (facts->traits & DEVICE_HOST_PROCESSORS) == 0, conditions);
}

static void record_energy(struct record *r, const struct energy_figures *energy, const struct case_report *report) {
  double joules = energy->joules;
  record_set(&r->energy_method, energy->method);
  record_set(&r->energy_fault, energy->fault);
  r->energy_j = joules;
  r->energy_net_j = energy->net_joules;
  r->energy_unc = energy->relative_unc;
  r->energy_power_w = energy->power_w;
  r->idle_w = energy->idle_w;
  r->energy_disagreement = energy->disagreement;
  if (report->flops > 0) r->tflop_per_j = (double)report->flops * 1e-12 / joules;
  if (report->bytes_read + report->bytes_written > 0)
    r->gb_per_j = ((double)report->bytes_read + (double)report->bytes_written) * 1e-9 / joules;
  if (report->items > 0) r->j_per_item = joules / (double)report->items;
}

static void set_columns(struct record *r, const struct variant_figures *figures) {
#define COPY_COLUMN(name) r->name = figures->name;
  VARIANT_COLUMNS(COPY_COLUMN)
#undef COPY_COLUMN
}

/* Sets how thoroughly the variant was verified. 1000 compared outputs are enough, because even if only one output in
 * 150 is wrong, 1000 randomly drawn ones contain a wrong one with a probability of 99.9%. */
static void set_verified(struct record *r, const struct variant_result *v) {
  enum { ENOUGH = 1000 };
  r->verified_slots = v->figures.verified_slots;
  r->fresh_ns = v->fresh_ns;
  r->fresh_unc_ns = v->fresh_unc_ns;
  if (v->figures.outputs == 0 || r->yardstick == 1) return;
  r->verify_elements = (int64_t)v->figures.compared;
  r->verify_share = (double)v->figures.compared / (double)v->figures.outputs;
  const bool few = v->figures.compared < ENOUGH && v->figures.compared < v->figures.outputs;
  r->few_verified = v->figures.compared == 0 || (few && !v->figures.checked_whole);
  if (r->few_verified == 1) record_add_unproven(r, UNPROVEN_BIT(UNPROVEN_FEW));
}

/* Marks the row unproven (UNPROVEN_CLOCK) if the parent process's clock does not support the time that the worker
 * reports. `alone_bounds`: with --isolate, the time must be confirmed; otherwise it must only not be contradicted.
 * `unheard`: the parent was stopped during the case, so its clock shows nothing. A busy machine delays calls, so only
 * `unheard` counts there. */
static void set_outside(struct record *r, const struct outside *outside, bool alone_bounds, bool unheard) {
  const enum outside_word word = outside_judge(outside, r->median_raw_ns);
  r->outside_ns = outside->ns;
  r->outside_slack_ns = outside->slack_ns;
  const bool bounded = word != OUTSIDE_BROKEN && !(alone_bounds && word != OUTSIDE_HOLDS);
  if (r->yardstick == 1) return;
  if (unheard || (r->contended != 1 && !bounded)) record_add_unproven(r, UNPROVEN_BIT(UNPROVEN_CLOCK));
}

/* Returns true if the case's rates are compared with a ceiling, which is the highest rate of one device. Cases on
 * several devices have none. Cases that measure a ceiling have none either: by chance they may exceed the one measured
 * before. */
static bool has_ceiling(const struct plan_case *p, const struct bench_desc *bench) {
  return !p->yardstick && (bench->flags & BENCH_NO_ROOF) == 0 && axis_devices(bench, &p->point) == 1;
}

/* Returns why the sampling of a variant ended. A case may end because its time is over; a variant that was precise by
 * then ended for its precision. */
static enum stop_reason stop_reason_of(const struct case_report *report, const struct variant_result *v) {
  const bool by_time = report->stop_reason == STOP_CASE_TIME || report->stop_reason == STOP_BUDGET;
  return by_time && v->figures.precise ? STOP_PRECISION : (enum stop_reason)report->stop_reason;
}

bool analyse_case(const struct plan_case *p, const struct case_result *result, const struct run_identity *identity,
                  struct record *records) {
  const struct case_report *report = &result->report;
  struct case_conditions conditions;
  /* the time of a sample is divided by the number of calls in its batch, and the clock's resolution with it */
  const double tick_ns = identity->facts->tick_ns / (report->replicas > 1 ? report->replicas : 1);
  const struct bench_desc *bench = &identity->catalog->plugins[p->plugin].benches[p->bench];
  /* a scripted device takes its times from a script, so the parent's own clock cannot bound them */
  const bool bounded = identity->isolated && (identity->facts->traits & DEVICE_SCRIPTED) == 0;
  /* true if no threads of other providers (plugins) ran in the process */
  const bool apart = identity->isolated || seats_of(p) == 1;
  const struct ceilings ceilings = has_ceiling(p, bench) ? identity->ceilings : CEILINGS_UNKNOWN;
  case_conditions(result, identity->facts, &conditions);
  for (size_t i = 0; i < p->variant_count; i++) {
    struct record *r = &records[i];
    const struct variant_result *v = &result->variants[i];
    const struct plan_variant *pv = &p->variants[i];
    struct distribution summary;
    record_init(r);
    set_identity(r, identity, p, pv);
    set_outcome(r, v, &identity->catalog->plugins[pv->plugin].variants[pv->variant]);
    if (v->status != ROW_OK) continue; /* a failed variant has no time */
    if (stats_summary(v->slots, v->slot_count, tick_ns, identity->seed, &summary) == 0) set_times(r, &summary, tick_ns);
    set_restarts(r, v, identity, tick_ns);
    set_overhead(r, report);
    set_work(r, report, identity, &ceilings);
    record_set(&r->stop_reason, stop_reason_name(stop_reason_of(report, v)));
    r->extra_mem_bytes = (int64_t)v->figures.extra_bytes;
    r->peak_mem_bytes = (int64_t)(v->figures.extra_bytes + report->tensor_bytes);
    r->kernels = v->figures.kernels;
    r->cooldown = report->cooldown;
    r->discarded_samples = (int64_t)v->discarded_samples;
    set_columns(r, &v->figures);
    record_add_unproven(r, v->unproven);
    untimed_set(r, &identity->catalog->plugins[pv->plugin], pv, v);
    set_verified(r, v);
    if (is_batch_unverified(bench->flags, p->mode)) record_add_unproven(r, UNPROVEN_BIT(UNPROVEN_FEW));
    record_energy(r, &v->energy, report);
    r->setup_s = report->seconds_setup;
    r->verify_s = report->seconds_verify;
    r->sampling_s = report->seconds_sampling;
    set_conditions(r, v, &conditions);
    if (apart) untimed_add_ahead(r, &v->untimed[UNTIMED_AHEAD]);
    set_outside(r, &v->outside, bounded, result->unheard);
    set_lost(r, v);
  }
  return speedup_case(p, result, tick_ns, identity->seed, records);
}

void analyse_ceiling(const struct plan_case *p, const struct record *records, struct ceilings *ceilings) {
  double tflops = NAN, gb_per_s = NAN;
  for (size_t i = 0; i < p->variant_count; i++) {
    tflops = fmax(tflops, records[i].tflops); /* fmax() ignores NaN */
    gb_per_s = fmax(gb_per_s, records[i].gb_per_s);
  }
  const size_t index = p->variant_count > 0 ? ceiling_of(records[0].contract) : CEILINGS;
  if (index == CEILINGS) return;
  double *const ceiling = ceiling_at(ceilings, index);
  *ceiling = fmax(*ceiling, index >= CEILING_FP32 ? tflops : gb_per_s);
}
