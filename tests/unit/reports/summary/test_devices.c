/* Tests several devices in one report: which rows, samples and facts belong to which device, and which one differs. */
#include "summary/devices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/run_data.h"
#include "unit.h"

static struct run_data data;

static void add_row(const char *devices, const char *model, const char *kind, double gb_per_s) {
  char contract[64];
  data.records = xrealloc(data.records, data.count + 1, sizeof *data.records);
  struct record *record = &data.records[data.count++];
  record_init(record);
  record_set(&record->devices, devices);
  record_set(&record->device_name, model);
  snprintf(contract, sizeof contract, "gpubench.org/calibrate/%s/1", kind);
  record_set(&record->contract, contract);
  record->gb_per_s = gb_per_s;
}

static void add_copies(const double *rates, size_t count) {
  char id[32];
  for (size_t i = 0; i < count; i++) {
    snprintf(id, sizeof id, "GPU-%zu", i);
    add_row(id, "H200", "copy", rates[i]);
  }
}

/* Returns the sentences about devices that differ from the others, one per line. */
static char *sentences(bool alike, bool named) {
  static char text[2048];
  struct device_outliers outliers;
  size_t used = 0;
  device_outliers_find(&data, &outliers);
  ASSERT_EQ_INT(outliers.alike, alike);
  ASSERT_EQ_INT(outliers.named, named);
  text[0] = '\0';
  for (size_t i = 0; i < outliers.sentences.count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "\n" : "", outliers.sentences.items[i]);
  device_outliers_free(&outliers);
  run_data_free(&data);
  return text;
}

static void one_of_eight(void) {
  add_copies((const double[]){4250, 4255, 4245, 3910, 4250, 4251, 4249, 4252}, 8);
  ASSERT_EQ_STR(sentences(false, true), "GPU-3 copies at 3.91 TB/s, 8.0% below the others' median");
  add_copies((const double[]){400, 400, 440}, 3);
  ASSERT_EQ_STR(sentences(false, true), "GPU-2 copies at 440 GB/s, 10% above the others' median");
}

static void within_the_limit(void) {
  add_copies((const double[]){1000, 1029, 971}, 3);
  ASSERT_EQ_STR(sentences(true, false), "the 3 devices' ceilings are within 2.9% of their median");
  add_copies((const double[]){1000, 1031, 1000}, 3);
  ASSERT_EQ_STR(sentences(false, true), "GPU-1 copies at 1.03 TB/s, 3.1% above the others' median");
}

static void of_two_no_one_knows(void) {
  add_copies((const double[]){4250, 3910}, 2);
  ASSERT_EQ_STR(sentences(false, false), "GPU-0 and GPU-1 differ: copy 4.25 TB/s and 3.91 TB/s, 8% apart");
  add_copies((const double[]){4250, 4200}, 2);
  ASSERT_EQ_STR(sentences(true, false), "the 2 devices' ceilings are within 0.59% of their median");
}

static void the_best_variant_counts(void) {
  add_copies((const double[]){100, 100, 50}, 3);
  add_row("GPU-2", "H200", "copy", 100.5);
  add_row("GPU-2", "H200", "copy", (double)NAN); /* a failed row */
  ASSERT_EQ_STR(sentences(true, false), "the 3 devices' ceilings are within 0.50% of their median");
}

static void nothing_to_say(void) {
  add_copies((const double[]){100}, 1);
  ASSERT_EQ_STR(sentences(false, false), "");
  add_row("GPU-0", "H200", "empty", 5);
  add_row("GPU-1", "H200", "empty", 1);
  ASSERT_EQ_STR(sentences(false, false), "");
  add_row("GPU-0", "H200", "copy", 4250); /* different models are not compared with each other */
  add_row("GPU-1", "A100", "copy", 1500);
  ASSERT_EQ_STR(sentences(false, false), "");
  add_copies((const double[]){100, 100}, 2);
  add_row("GPU-7", "H200", "read", 50); /* a rate of another kind, which no other device has */
  ASSERT_EQ_STR(sentences(true, false), "the 3 devices' ceilings are within 0% of their median");
}

static void add_time(const char *devices, const char *model, const char *variant, double ns) {
  add_row(devices, model, "x", (double)NAN);
  struct record *record = &data.records[data.count - 1];
  record_set(&record->contract, "example.org/a/1");
  record_set(&record->case_key, "a/b[n=1]");
  record_set(&record->variant, variant);
  record_set(&record->status, "ok");
  record->median_raw_ns = ns;
}

static void speeds_beside_the_others(void) {
  struct device_outliers outliers;
  add_time("GPU-0", "H200", "x", 100), add_time("GPU-1", "H200", "x", 100), add_time("GPU-2", "H200", "x", 125);
  add_time("GPU-0", "H200", "y", 10), add_time("GPU-2", "H200", "z", 1); /* no other device has these */
  add_time("GPU-9", "A100", "x", 1000);
  device_outliers_find(&data, &outliers);
  ASSERT_EQ_INT(outliers.count, 4);
  ASSERT_TRUE(outliers.has_speed && outliers.sentences.count == 0);
  ASSERT_TRUE(fabs(outliers.devices[0].speed - 1) < 1e-9 && fabs(outliers.devices[1].speed - 1) < 1e-9);
  ASSERT_TRUE(fabs(outliers.devices[2].speed - 0.8) < 1e-9);
  ASSERT_TRUE(isnan(outliers.devices[3].speed));
  device_outliers_free(&outliers);
  run_data_free(&data);
}

/* ---- A run directory ---- */

static char folder[64] = "/tmp/gpubench-odd-XXXXXX";

static void put(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  if (out == NULL || fputs(text, out) < 0 || fclose(out) != 0) UNIT_FAIL("cannot write %s", path);
}

static void makes_a_run(void) {
  ASSERT_TRUE(mkdtemp(folder) != NULL);
  put("results.csv",
      "bench,case_key,variant,mode,status,median_raw_ns,devices,device_name,epochs\n"
      "b,k,v,cold,ok,1,GPU-a,H200,1\nb,k,v,cold,ok,2,GPU-b,H200,2;3\n");
  put("samples.csv",
      "case_key,variant,mode,epoch,round,index,ns\n"
      "k,v,cold,1,0,0,1.0\nk,v,cold,2,0,0,2.0\nk,v,cold,3,0,0,3.0\nk,v,cold,3,0,1,4.0\nk,v,cold,4,0,0,9\n");
  put("slots.csv",
      "case_key,variant,mode,epoch,round,position,samples,sm_clock_mhz,temperature_c,power_w,throttle\n"
      "k,v,cold,3,0,5,2,1980,,,\n");
  put("run.ini",
      "[environment]\ndevice = cuda:0,cuda:1,cuda:2,cuda:3\ndevice_name = H200\ndevices = 4\n"
      "device.1.id = GPU-a\ndevice.1.device = cuda:0\ndevice.2.id = GPU-b\ndevice.2.device = cuda:1\n"
      "device.2.launch_overhead_ns = 7\ndevice.3.device = cuda:2\ndevice.3.lost = it is gone\n"
      "device.4.device = cuda:3\ndevice.x.y = 1\ndevice.99999999.z = 1\n[tags]\n");
}

static void rows_find_what_is_theirs(void) {
  struct err err = {0};
  char label[TEXT_SIZE];
  ASSERT_EQ_INT(run_data_load(folder, &data, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  const struct run_samples *a = run_data_samples_of(&data, &data.records[0]),
                           *b = run_data_samples_of(&data, &data.records[1]);
  ASSERT_TRUE(a != NULL && b != NULL && a != b);
  ASSERT_TRUE(a->count == 1 && a->ns_count == 1 && a->slots[0].ns[0] > 0.9 && a->slots[0].ns[0] < 1.1);
  ASSERT_TRUE(b->count == 2 && b->ns_count == 3 && b->slots[1].count == 2 && b->slots[1].ns[1] > 3.9);
  ASSERT_EQ_INT(b->slots[1].state.position, 5);
  ASSERT_EQ_STR(pairs_get(run_data_environment(&data, &data.records[1]), "launch_overhead_ns"), "7");
  ASSERT_EQ_STR(pairs_get(run_data_environment(&data, &data.records[1]), "device"), "cuda:1");
  ASSERT_EQ_STR(pairs_get(run_data_environment(&data, &data.records[0]), "device_name"), "H200");
  ASSERT_TRUE(pairs_get(run_data_environment(&data, &data.records[0]), "launch_overhead_ns") == NULL);
  devices_label(&data, &data.records[1], label, sizeof label);
  ASSERT_EQ_STR(label, "cuda:1");
  ASSERT_EQ_INT(data.notes.count, 2);
  ASSERT_EQ_STR(data.notes.items[0], "cuda:2 was not measured: it is gone");
  ASSERT_EQ_STR(data.notes.items[1], "cuda:3 was not measured: the run ended before its turn");
}

static void and_do_so_among_other_runs(void) {
  struct run_data other;
  struct err err = {0};
  ASSERT_EQ_INT(run_data_load(folder, &other, &err), 0);
  run_data_merge(&data, &other);
  for (size_t i = 0; i < 4; i++) {
    const struct run_samples *samples = run_data_samples_of(&data, &data.records[i]);
    ASSERT_TRUE(samples != NULL && samples->run == i / 2 && samples->ns_count == (i % 2 == 0 ? 1 : 3));
  }
  run_data_free(&data);
}

static void removes_the_run(void) {
  static const char *const names[] = {"results.csv", "samples.csv", "slots.csv", "run.ini"};
  char path[128];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  ASSERT_EQ_INT(rmdir(folder), 0);
}

UNIT_MAIN("odd", UNIT_TEST(one_of_eight), UNIT_TEST(within_the_limit), UNIT_TEST(of_two_no_one_knows),
          UNIT_TEST(the_best_variant_counts), UNIT_TEST(nothing_to_say), UNIT_TEST(speeds_beside_the_others),
          UNIT_TEST(makes_a_run), UNIT_TEST(rows_find_what_is_theirs), UNIT_TEST(and_do_so_among_other_runs),
          UNIT_TEST(removes_the_run))
