/* A run of an attention benchmark: 5 cases x 3 variants, of which one row is skipped; with `failures`, one row is wrong
 * and one crashed. Figures are made up. sample_hostile() makes the same run with names and messages as an attacker
 * would choose them. */
#ifndef SAMPLE_RUN_H
#define SAMPLE_RUN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/csv/csv.h"
#include "record/run_data.h"

#define SAMPLE_HOSTILE "<script>alert(1)</script>\"'&,\r\n=1+1 \x1b[31m\xff \xe2\x80\xae]]>--><svg onload=x>"

struct sample_case {
  const char *preset;
  int b, h, s, d;
  double us[3]; /* median times in us of the variants standard, flash and mine */
};

static const struct sample_case sample_cases[] = {
    {"gpt2-1k", 16, 12, 1024, 64, {831.3, 143.2, 139.9}},     {"bert-large-512", 8, 16, 512, 64, {182.4, 31.72, 31.69}},
    {"llama3-8b-4k", 2, 32, 4096, 128, {5012, 921.5, 770.2}}, {"llama3-8b-8k", 2, 32, 8192, 128, {18330, 3524, 3129}},
    {"llama3-8b-32k", 1, 32, 32768, 128, {0, 27660, 24010}},
};

static inline void sample_figures(struct record *record, double us, double base_us, double flops, int i) {
  double ns = us * 1e3, half = i == 4 ? 0.008 : 0.002 + 0.0005 * i;
  record->median_raw_ns = ns;
  record->mean_ns = ns * 1.001;
  record->stddev_ns = ns * 0.004;
  record->mad_ns = ns * 0.002;
  record->min_ns = ns * 0.99;
  record->p05_ns = ns * 0.993;
  record->p25_ns = ns * 0.998;
  record->p75_ns = ns * 1.002;
  record->p95_ns = ns * 1.008;
  record->p99_ns = ns * 1.02;
  record->max_ns = ns * 1.06;
  record->ci95_lo_ns = ns * (1 - half);
  record->ci95_hi_ns = ns * (1 + half);
  record->tick_ns = 32;
  record->outliers = 3;
  record->samples = 820;
  record->rounds = 41;
  record->restarts = 1;
  record->flops = (int64_t)flops;
  record->bytes = (int64_t)(flops / 300);
  record->tflops = flops / ns / 1e3;
  record->gb_per_s = flops / 300 / ns;
  record->ceiling_share = record->tflops / 758;
  record->verify_error = 1.1e-3 + 2e-4 * i;
  record->verify_tolerance = 4e-3;
  record->verified_slots = 17;
  record->reuse_limit = 0.03;
  record_set(&record->stop_reason, i == 4 ? "case_time" : "precision");
  if (base_us <= 0) return;
  record->speedup = base_us / us;
  record->speedup_lo = record->speedup * (1 - half * 1.5);
  record->speedup_hi = record->speedup * (1 + half * 1.5);
  record->speedup_lo99 = record->speedup * (1 - half * 2);
  record->speedup_hi99 = record->speedup * (1 + half * 2);
  record_set(&record->verdict, record->speedup > 1.005 ? "faster" : record->speedup < 0.995 ? "slower" : "same");
}

static inline void sample_identity(struct record *record, const struct sample_case *c, const char *variant) {
  char text[KEY_SIZE];
  record->schema = RECORD_SCHEMA;
  record_set(&record->run_id, "20261121T071503Z-attention");
  record_set(&record->timestamp_utc, "2026-11-21T07:15:09Z");
  record_set(&record->host, "node17");
  record_set(&record->devices, "GPU-8932f937-7a1c-4b1e-9d55-0f6d2a3b4c5d");
  record_set(&record->device_name, "NVIDIA H200");
  record_set(&record->driver, "580.65.06");
  record_set(&record->plugin, "attention");
  record_set(&record->provider, strcmp(variant, "mine") == 0 ? "mine" : "attention");
  record_set(&record->plugin_version, "0.1.0");
  record_set(&record->bench, "attention/forward");
  record_set(&record->contract, "gpubench.org/attention/forward/1");
  snprintf(text, sizeof text, "attention/forward[b=%d,h=%d,s=%d,d=%d,dtype=bf16,causal=yes]", c->b, c->h, c->s, c->d);
  record_set(&record->case_key, text);
  record_set(&record->preset, c->preset);
  snprintf(text, sizeof text, "b=%d;h=%d;s=%d;d=%d;dtype=bf16;causal=yes", c->b, c->h, c->s, c->d);
  record_set(&record->axes, text);
  record_set(&record->variant, variant);
  record_set(&record->backend, "cuda");
  record_set(&record->math, "bf16");
  record_set(&record->mode, "cold");
  record_set(&record->baseline, "standard");
  record->seed = 1;
  record->quick = 0;
}

static inline void sample_unusual(struct record *record, const char *status, const char *message) {
  record_set(&record->status, status);
  record_set(&record->message, message);
}

static inline void sample_row(struct record *record, size_t c, size_t v, bool failures) {
  static const char *const variants[] = {"standard", "flash", "mine"};
  const struct sample_case *point = &sample_cases[c];
  double flops = 2.0 * point->b * point->h * point->s * (double)point->s * point->d;
  record_init(record);
  sample_identity(record, point, variants[v]);
  if (point->us[v] <= 0) {
    sample_unusual(record, "skipped", "needs 137 GB, 131 GB free");
  } else if (failures && c == 2 && v == 2) {
    sample_unusual(record, "wrong", "out[1032, 7]: 0.173 where float64 has 0.161; error 7.4e-2 of 4e-3 allowed");
    record->verify_error = 7.4e-2;
    record->verify_tolerance = 4e-3;
  } else if (failures && c == 4 && v == 2) {
    sample_unusual(record, "crashed", "SIGSEGV in 'run' of attention/forward/mine");
  } else {
    record_set(&record->status, "ok");
    sample_figures(record, point->us[v], v != 0 ? point->us[0] : 0, flops, (int)c);
    record->extra_mem_bytes = v == 0 ? (int64_t)4 * point->b * point->h * point->s * point->s : 2100000;
    record->peak_mem_bytes = record->extra_mem_bytes + 400000000;
  }
}

static inline void sample_environment(struct run_data *data) {
  static const char *const pairs[][2] = {
      {"run_id", "20261121T071503Z-attention"},
      {"started_utc", "2026-11-21T07:15:03Z"},
      {"wall_s", "31.2"},
      {"gpubench_version", "0.1.0"},
      {"gpubench_build", "g3f2c1a, gcc 12.2.0"},
      {"command", "gpubench --plugin attention.so --plugin ./mine.so"},
      {"device", "cuda:0"},
      {"device_name", "NVIDIA H200"},
      {"device_uuid", "GPU-8932f937-7a1c-4b1e-9d55-0f6d2a3b4c5d"},
      {"driver", "580.65.06"},
      {"cuda_runtime", "13.0"},
      {"cpu", "Intel Xeon Platinum 8480+"},
      {"threads", "16"},
      {"kernel", "6.1.0-28-amd64"},
      {"host", "node17"},
      {"sm_clock_mhz", "1980"},
      {"power_limit_w", "700"},
      {"ecc", "on"},
      {"conditions", "ok: 1980 MHz, 41 C, 700 W limit, ECC on, no other process"},
      {"launch_overhead_ns", "3200"},
      {"copy_ceiling_gb_per_s", "4251"},
      {"flop_ceiling_bf16_tflops", "758"},
      {"precision", "0.005"},
      {"seed", "1"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
    pairs_add_text(&data->environment, pairs[i][0], pairs[i][1]);
  pairs_add_text(&data->tags, "branch", "main");
}

/* Makes the run; run_data_free() frees it. */
static inline void sample_run(struct run_data *data, bool failures) {
  *data = (struct run_data){.dir = xstrdup("gpubench-out/20261121T071503Z-attention")};
  data->records = xcalloc(15, sizeof *data->records);
  for (size_t c = 0; c < 5; c++)
    for (size_t v = 0; v < 3; v++)
      sample_row(&data->records[data->count++], c, v, failures);
  sample_environment(data);
}

/* Makes the same run with hostile text wherever text may come from outside. */
static inline void sample_hostile(struct run_data *data) {
  sample_run(data, true);
  for (size_t i = 0; i < data->count; i++) {
    struct record *record = &data->records[i];
    record_set(&record->message, SAMPLE_HOSTILE);
    record_set(&record->preset, i / 3 % 2 ? SAMPLE_HOSTILE : "=cmd|' /C calc'!A0");
    record_set(&record->device_name, SAMPLE_HOSTILE);
    if (i % 3 == 1) record_set(&record->variant, SAMPLE_HOSTILE);
    record_set(&record->bench, SAMPLE_HOSTILE);
    record_set(&record->axes, "s=%3Cscript%3Ealert(2)%3C/script%3E;d=\"><img src=x onerror=alert(3)>");
    record_set(&record->math, i % 3 ? "\"><b>" : "'><i>");
  }
  for (size_t i = 0; i < data->environment.count; i++) {
    free(data->environment.items[i].value);
    data->environment.items[i].value = xstrdup(SAMPLE_HOSTILE);
  }
  pairs_add_text(&data->tags, SAMPLE_HOSTILE, SAMPLE_HOSTILE);
  strings_add(&data->notes, SAMPLE_HOSTILE);
}

static inline int sample_write_results(const struct run_data *data, FILE *out) {
  struct err err = {0};
  int result = csv_write_header(out, &err);
  for (size_t i = 0; i < data->count && result == 0; i++)
    result = csv_write_record(out, &data->records[i], &err);
  return result;
}

#endif
