/* Statistics, speedups and rates of one case. */
#include "analyse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double analyse_roof_share(const struct ceilings *ceilings, const char *math, double flops, double bytes, double ns) {
  double tflops = NAN, math_ns = 0, memory_ns = 0;
  if (strcmp(math, "fp32") == 0) tflops = ceilings->fp32_tflops;
  if (strcmp(math, "bf16") == 0 || strcmp(math, "fp16") == 0) tflops = ceilings->bf16_tflops; /* one rate on all GPUs */
  if (flops > 0) math_ns = flops / (tflops * 1e3);
  if (bytes > 0) memory_ns = bytes / ceilings->copy_gb_per_s;
  /* a bound that is not known may be the one that binds, so the share is not known either */
  if (isnan(math_ns) || isnan(memory_ns) || (flops <= 0 && bytes <= 0)) return NAN;
  return fmax(math_ns, memory_ns) / ns;
}

static void set_identity(struct record *r, const struct run_identity *identity, const struct plan_case *p,
                         const struct plan_variant *pv) {
  const struct catalog_plugin *owner = &identity->catalog->plugins[p->plugin];
  const struct catalog_plugin *provider = &identity->catalog->plugins[pv->plugin];
  const struct variant_desc *variant = &provider->variants[pv->variant];
  const struct device_facts *facts = identity->facts;
  char text[EXPR_SIZE * 2];
  time_t now = time(NULL);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  r->schema = RECORD_SCHEMA;
  record_set(&r->timestamp_utc, text);
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
  record_set(&r->mode, "cold");
  r->restarts = 1;
  r->seed = (int64_t)identity->seed;
  r->quick = identity->quick;
}

static void set_outcome(struct record *r, const struct variant_result *v, const struct variant_desc *variant) {
  record_set(&r->status, row_status_name(v->status));
  record_set(&r->math, v->math[0] ? v->math : variant->math);
  if (v->message[0]) record_set(&r->message, v->message);
  r->verify_error = v->error;
  r->verify_tolerance = v->tolerance;
}

static void set_times(struct record *r, const struct summary *s, double tick_ns) {
  r->samples = (int64_t)s->samples;
  r->rounds = (int64_t)s->rounds;
  r->outliers = (int64_t)s->outliers;
  r->median_raw_ns = s->median;
  r->mean_ns = s->mean;
  r->stddev_ns = s->stddev;
  r->mad_ns = s->mad;
  r->min_ns = s->min;
  r->p05_ns = s->p05;
  r->p25_ns = s->p25;
  r->p75_ns = s->p75;
  r->p95_ns = s->p95;
  r->p99_ns = s->p99;
  r->p999_ns = s->p999;
  r->max_ns = s->max;
  r->ci95_lo_ns = s->ci95_lo;
  r->ci95_hi_ns = s->ci95_hi;
  r->tick_ns = tick_ns;
}

static void set_work(struct record *r, const struct case_report *report, const struct ceilings *ceilings) {
  double flops = (double)report->flops, bytes = (double)report->bytes_read + (double)report->bytes_written;
  if (flops > 0) r->flops = (int64_t)report->flops;
  if (bytes > 0) r->bytes = (int64_t)(report->bytes_read + report->bytes_written);
  if (report->items > 0) r->items = (int64_t)report->items;
  if (isnan(r->median_raw_ns)) return;
  if (flops > 0) r->tflops = flops / r->median_raw_ns * 1e-3;
  if (bytes > 0) r->gb_per_s = bytes / r->median_raw_ns;
  r->roof_share = analyse_roof_share(ceilings, r->math, flops, bytes, r->median_raw_ns);
}

/* Significant bits of a product in this math: what "stricter" means when a speedup is marked. */
static int math_bits(const char *math) {
  static const struct {
    const char *name;
    int bits;
  } known[] = {{"fp64", 53}, {"fp32", 24}, {"3xtf32", 22}, {"tf32", 11}, {"fp16", 11}, {"bf16", 8}, {"fp8", 4}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(known[i].name, math) == 0) return known[i].bits;
  return 0;
}

static void set_speedup(struct record *r, const struct record *base, const struct variant_result *v,
                        const struct variant_result *base_result, const struct run_identity *identity) {
  struct ratio ratio;
  if (v == base_result) {
    r->speedup = 1;
    return;
  }
  if (stats_ratio(base_result->slots, base_result->slot_count, v->slots, v->slot_count, identity->facts->tick_ns,
                  identity->seed, &ratio) != 0) {
    if (ratio.rounds == 0)
      record_set(&r->message, "no speedup: the baseline was measured in another process after a crash");
    return;
  }
  r->speedup = ratio.speedup;
  r->speedup_lo = ratio.lo95;
  r->speedup_hi = ratio.hi95;
  record_set(&r->verdict, stats_verdict_name(stats_verdict(&ratio)));
  if (math_bits(r->math) < math_bits(base->math)) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s against a baseline in %s", r->math, base->math);
    record_set(&r->message, text);
  }
}

void analyse_case(const struct plan_case *p, const struct case_result *result, const struct run_identity *identity,
                  struct record *records) {
  const struct case_report *report = &result->report;
  for (size_t i = 0; i < p->variant_count; i++) {
    struct record *r = &records[i];
    const struct variant_result *v = &result->variants[i];
    const struct plan_variant *pv = &p->variants[i];
    struct summary summary;
    record_init(r);
    set_identity(r, identity, p, pv);
    set_outcome(r, v, &identity->catalog->plugins[pv->plugin].variants[pv->variant]);
    if (v->status != ROW_OK) continue; /* what is not right has no time */
    if (stats_summary(v->slots, v->slot_count, identity->facts->tick_ns, identity->seed, &summary) == 0)
      set_times(r, &summary, identity->facts->tick_ns);
    set_work(r, report, &identity->ceilings);
    record_set(&r->stop_reason, stop_reason_name((enum stop_reason)report->stop_reason));
    r->extra_mem_bytes = (int64_t)v->extra_bytes;
    r->peak_mem_bytes = (int64_t)(v->extra_bytes + report->tensor_bytes);
    r->sm_clock_mhz = report->conditions.sm_clock_mhz;
  }
  if (p->baseline >= p->variant_count) return;
  const struct variant_result *base = &result->variants[p->baseline];
  for (size_t i = 0; i < p->variant_count; i++) {
    record_set(&records[i].baseline, p->variants[p->baseline].name);
    const struct variant_result *v = &result->variants[i];
    bool both_ok = base->status == ROW_OK && v->status == ROW_OK;
    if (both_ok && base->slot_count > 0 && v->slot_count > 0)
      set_speedup(&records[i], &records[p->baseline], v, base, identity);
  }
}

void analyse_ceiling(const struct plan_case *p, const struct record *records, struct ceilings *ceilings) {
  double tflops = NAN, gb_per_s = NAN, ns = NAN;
  for (size_t i = 0; i < p->variant_count; i++) {
    tflops = fmax(tflops, records[i].tflops); /* fmax ignores NaN */
    gb_per_s = fmax(gb_per_s, records[i].gb_per_s);
    ns = fmin(ns, records[i].median_raw_ns);
  }
  if (p->variant_count == 0) return;
  const char *contract = records[0].contract;
  if (strcmp(contract, CONTRACT_EMPTY) == 0) ceilings->floor_ns = fmin(ceilings->floor_ns, ns);
  if (strcmp(contract, CONTRACT_COPY) == 0) ceilings->copy_gb_per_s = fmax(ceilings->copy_gb_per_s, gb_per_s);
  if (strcmp(contract, CONTRACT_FMA) == 0) ceilings->fp32_tflops = fmax(ceilings->fp32_tflops, tflops);
  if (strcmp(contract, CONTRACT_TENSOR) == 0) ceilings->bf16_tflops = fmax(ceilings->bf16_tflops, tflops);
}
