/* Runs with features that sample_run.h lacks: a numeric axis, samples with clock states and a throttled device, two
 * processes, latency mode, notes of every kind on rows; and large runs of any size. All figures are made up. */
#ifndef SAMPLE_RICH_H
#define SAMPLE_RICH_H

#include "base/memory.h"
#include "sample_run.h"

/* Returns a pseudo-random number from 0 to 1, the same on every machine. */
static inline double sample_noise(uint32_t *state) {
  *state = *state * 1664525U + 1013904223U;
  return (double)(*state >> 8) / 16777216.0;
}

enum { SAMPLE_ROUNDS = 24, SAMPLE_PER_SLOT = 8 };

static inline void sample_rich_identity(struct record *record, const char *bench, const char *axes, const char *variant,
                                        const char *mode) {
  char key[KEY_SIZE];
  record_init(record);
  record->schema = RECORD_SCHEMA;
  record_set(&record->run_id, "20261121T080000Z-rich");
  record_set(&record->host, "node17");
  record_set(&record->devices, "GPU-8932f937");
  record_set(&record->device_name, "NVIDIA H200");
  record_set(&record->plugin, "rich");
  record_set(&record->provider, "rich");
  record_set(&record->bench, bench);
  record_set(&record->axes, axes);
  snprintf(key, sizeof key, "%s[%s]", bench, axes);
  for (char *c = key; *c != '\0'; c++)
    if (*c == ';') *c = ',';
  record_set(&record->case_key, key);
  record_set(&record->variant, variant);
  record_set(&record->math, strcmp(variant, "fused") == 0 ? "bf16" : "fp32");
  record_set(&record->mode, mode);
  record_set(&record->status, "ok");
  record_set(&record->baseline, "naive");
}

static inline void sample_rich_figures(struct record *record, double us, double base_us, double bytes) {
  sample_figures(record, us, strcmp(record->variant, "naive") != 0 ? base_us : 0, 3 * bytes, 1);
  const double ns = us * 1e3, launch_overhead_ns = 3200, unc_ns = 90, left = ns - launch_overhead_ns,
               base_left = base_us * 1e3 - launch_overhead_ns;
  const double working = launch_overhead_ns > 0.05 * ns ? left : ns;
  record->flops = (int64_t)(bytes * 1.25);
  record->bytes = (int64_t)bytes;
  record->intensity = 1.25;
  record->tflops = 1.25 * bytes / working * 1e-3;
  record->gb_per_s = bytes / working;
  record->ceiling_share = bytes / working / 4251;
  record_set(&record->bound, "memory");
  record->launch_overhead_ns = launch_overhead_ns;
  record->launch_overhead_unc_ns = unc_ns;
  record->median_ns = left;
  record->median_lo_ns = record->ci95_lo_ns - launch_overhead_ns - unc_ns;
  record->median_hi_ns = record->ci95_hi_ns - launch_overhead_ns + unc_ns;
  record->cv = 0.004;
  record->skew = 1.2;
  record->n_eff = 19;
  record->drift = -0.0007;
  record->restarts = 2;
  record->restart_sd = 0.0012;
  record->cooldown = 1;
  record->kernels = 1;
  record->p999_ns = ns * 1.04;
  record->p95_lo_ns = ns * 1.007;
  record->p95_hi_ns = ns * 1.009;
  record->p99_lo_ns = ns * 1.018;
  record->p99_hi_ns = ns * 1.023;
  record->outliers_far = 1;
  record->leak_bytes_per_call = 0;
  record->verify_s = 0.31;
  record->sm_clock_mhz = 1980;
  record->temperature_c = 47;
  record->power_w = 512;
  record->throttled_share = 0;
  if (record->speedup > 0) {
    record->speedup_corrected = base_left / left;
    record->speedup_corrected_lo = record->speedup_corrected * 0.985;
    record->speedup_corrected_hi = record->speedup_corrected * 1.016;
    record->speedup_corrected_lo99 = record->speedup_corrected * 0.98;
    record->speedup_corrected_hi99 = record->speedup_corrected * 1.021;
  }
  record->extra_mem_bytes = strcmp(record->variant, "fused") == 0 ? 0 : (int64_t)bytes;
  record->peak_mem_bytes = record->extra_mem_bytes + (int64_t)bytes;
}

/* Adds samples of two processes; the clock drops for some rounds, and one slot is an outlier. */
static inline void sample_rich_samples(struct run_data *data, const struct record *record, uint32_t seed) {
  struct run_samples *samples = run_data_add_samples(data, 0, record->case_key, record->variant, record->mode);
  samples->count = samples->capacity = SAMPLE_ROUNDS;
  samples->ns_count = samples->ns_capacity = (size_t)SAMPLE_ROUNDS * SAMPLE_PER_SLOT;
  samples->slots = xcalloc(samples->count, sizeof *samples->slots);
  samples->ns = xcalloc(samples->ns_count, sizeof *samples->ns);
  for (uint32_t i = 0; i < SAMPLE_ROUNDS; i++) {
    bool slow = i >= 9 && i < 12;
    struct slot *slot = &samples->slots[i];
    *slot = (struct slot){.epoch = 1 + i / 12, .round = i % 12, .count = SAMPLE_PER_SLOT};
    slot->ns = samples->ns + (size_t)i * SAMPLE_PER_SLOT;
    slot->state = (struct slot_state){.throttle = slow ? THROTTLE_POWER_CAP : THROTTLE_NONE,
                                      .sm_clock_mhz = slow ? 1785 : 1980,
                                      .temperature_c = 47,
                                      .power_w = 512};
    for (uint32_t j = 0; j < SAMPLE_PER_SLOT; j++) {
      double noise = (sample_noise(&seed) + sample_noise(&seed) + sample_noise(&seed) - 1.5) * 0.006;
      double far = j == 3 && i % 7 == 2 ? 0.03 : 0;
      samples->ns[i * SAMPLE_PER_SLOT + j] = record->median_raw_ns * (1 + noise + far + (slow ? 0.012 : 0));
    }
  }
}

static inline void sample_rich_marks(struct run_data *data) {
  struct record *first = data->records;
  first[1].throttled_share = 0.125;
  record_set(&first[1].conditions, "clocks differ");
  record_set(&first[4].message, "measured in groups: the working sets do not fit together");
  first[7].speedup = first[7].speedup_lo = first[7].speedup_hi = (double)NAN;
  record_set(&first[7].verdict, NULL);
  record_set(&first[7].message, "no speedup: the baseline was not measured in the same process");
  record_set(&first[10].stop_reason, "case_time");
  first[10].precision = 1e-4;
  record_set(&first[2].message, "bf16 against a baseline in fp32");
}

static inline void sample_rich(struct run_data *data) {
  static const char *const variants[] = {"naive", "online", "fused"};
  static const double factors[] = {1, 0.72, 0.41};
  char axes[64];
  *data = (struct run_data){.dir = xstrdup("gpubench-out/20261121T080000Z-rich")};
  data->records = xcalloc(40, sizeof *data->records);
  for (int dtype = 0; dtype < 2; dtype++)
    for (int n = 1024; n <= 65536; n *= 4)
      for (int v = 0; v < 3; v++) {
        struct record *record = &data->records[data->count++];
        double bytes = 8192.0 * n * (dtype ? 2 : 4), us = 3 + bytes / 2.1e6;
        snprintf(axes, sizeof axes, "m=4096;n=%d;dtype=%s", n, dtype ? "bf16" : "fp32");
        sample_rich_identity(record, "rich/rows", axes, variants[v], "cold");
        sample_rich_figures(record, us * factors[v], us, bytes);
        sample_rich_samples(data, record, (uint32_t)data->count);
      }
  for (int v = 0; v < 2; v++) {
    struct record *record = &data->records[data->count++];
    /* the name "memcpy" is wide in bold type */
    sample_rich_identity(record, "rich/call", "m=1", v ? "memcpy" : "naive", "latency");
    sample_rich_figures(record, v ? 6.1 : 7.3, 7.3, 4096);
    record->quick = 1;
    record->p999_ns = v ? (double)NAN : record->p999_ns;
    sample_rich_samples(data, record, (uint32_t)data->count);
  }
  sample_rich_marks(data);
  sample_environment(data);
  pairs_add_text(&data->environment, "l2_ceiling_gb_per_s", "8100");
}

/* Varies the figures so that no two rows are alike, as in a real run. */
static inline void sample_big_vary(struct record *record, uint32_t *noise) {
  record->cv *= 1 + sample_noise(noise);
  record->skew *= sample_noise(noise);
  record->drift *= sample_noise(noise);
  record->n_eff *= sample_noise(noise);
  record->restart_sd *= sample_noise(noise);
  record->verify_error *= sample_noise(noise);
  record->verify_s *= sample_noise(noise);
  record->outliers = (int64_t)(10 * sample_noise(noise));
  record->samples = (int64_t)(900 * sample_noise(noise));
  record->rounds = 12 + (int64_t)(40 * sample_noise(noise));
  record->power_w -= (int)(90 * sample_noise(noise));
  record->temperature_c -= (int)(9 * sample_noise(noise));
  record->throttled_share = sample_noise(noise) < 0.1 ? 0.05 : 0;
}

/* Makes a run of benches x cases x variants. Rows have samples if there are at most 200 cases. */
static inline void sample_big(struct run_data *data, size_t benches, size_t cases, size_t variants) {
  char text[64], name[32];
  *data = (struct run_data){.dir = xstrdup("gpubench-out/20261121T090000Z-big")};
  data->records = xcalloc(benches * cases * variants, sizeof *data->records);
  uint32_t noise = 1;
  for (size_t b = 0; b < benches; b++)
    for (size_t c = 0; c < cases; c++)
      for (size_t v = 0; v < variants; v++) {
        struct record *record = &data->records[data->count++];
        double us = (40 + (double)c) * (1 - 0.1 * (double)v) * (0.9 + 0.2 * sample_noise(&noise));
        snprintf(text, sizeof text, "m=%zu;n=%zu;dtype=%s", 64 * (c / 20 + 1), 128 * (c % 20 + 1), "bf16");
        snprintf(name, sizeof name, "variant-%zu", v);
        sample_rich_identity(record,
                             b == 0   ? "big/rows"
                             : b == 1 ? "big/columns"
                                      : "big/all",
                             text, v == 0 ? "naive" : name, "cold");
        sample_rich_figures(record, us, 40 + (double)c, 1e8);
        sample_big_vary(record, &noise);
        if (cases <= 200) sample_rich_samples(data, record, (uint32_t)data->count);
      }
  sample_environment(data);
}

#endif
