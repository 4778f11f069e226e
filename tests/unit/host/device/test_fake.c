#include <stdlib.h>
#include <unistd.h>

#include "device/device.h"
#include "stats/math.h"
#include "stats/stats.h"
#include "unit.h"

/* ---- Scripts ------------------------------------------------------------------------------------------------- */

static char script_path[64];

/* Returns the path of a file with these bytes, which remove_script() deletes. */
static const char *script_of(const char *text, size_t length) {
  snprintf(script_path, sizeof script_path, "/tmp/test_device_fake.XXXXXX");
  int descriptor = mkstemp(script_path);
  if (descriptor < 0 || write(descriptor, text, length) != (ssize_t)length) abort();
  close(descriptor);
  return script_path;
}

static int open_text(const char *text, struct device **device, struct err *err) {
  char spec[80];
  snprintf(spec, sizeof spec, "fake:%s", script_of(text, strlen(text)));
  int status = device_open(spec, device, err);
  unlink(script_path);
  return status;
}

static struct device *opened(const char *text) {
  struct device *device;
  struct err err = {0};
  if (open_text(text, &device, &err) != 0) {
    UNIT_FAIL("%s", err.text);
    abort();
  }
  return device;
}

/* Opens a scripted device with one of the scripts in tests/fake. */
static struct device *open_model(const char *name) {
  char spec[1024];
  struct device *device;
  struct err err = {0};
  snprintf(spec, sizeof spec, "fake:%s/tests/fake/%s.ini", SOURCE_DIR, name);
  if (device_open(spec, &device, &err) != 0) {
    UNIT_FAIL("%s", err.text);
    abort();
  }
  return device;
}

static int count_call(void *context) {
  ++*(int *)context;
  return 0;
}

static int fail_call(void *context) {
  (void)context;
  return -1;
}

static void sample(struct device *device, const char *variant, uint32_t count, double *ns) {
  int calls = 0;
  struct err err = {0};
  struct slot_state state;
  struct slot_request request = {.run = count_call,
                                 .before = NULL,
                                 .context = &calls,
                                 .variant = variant,
                                 .key = "p/b[n=1]",
                                 .count = count,
                                 .replicas = 1,
                                 .flush = true};
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_OK);
}

/* ---- Contents of a script ------------------------------------------------------------------------------------- */

static void facts_come_from_the_script(void) {
  struct device *device = opened(
      "; a comment\n[device]\n  name = Fake 3000 ; said here\n  uuid=GPU-1\n# another\ntick_ns=32\nthreads=3\ndriver = "
      "1.2\nseed=4\n[*]\nns=5\n");
  ASSERT_EQ_STR(device->facts.backend, "cpu");
  ASSERT_EQ_STR(device->facts.name, "Fake 3000");
  ASSERT_EQ_STR(device->facts.uuid, "GPU-1");
  ASSERT_EQ_STR(device->facts.driver, "1.2");
  ASSERT_EQ_INT(device->facts.threads, 3);
  ASSERT_NEAR(device->facts.tick_ns, 32, 0);
  ASSERT_HAS(device->facts.spec, "fake:/tmp/");
  ASSERT_TRUE(device->facts.memory_bytes > 0);
  device->ops->close(device);
}

static void bad_scripts_are_refused(void) {
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"[device]\ntick_n = 3\n", ":2: unknown key 'tick_n'; did you mean 'tick_ns'?"},
      {"[*]\nns=1\nsample_s=0.1\n", ":3: unknown key 'sample_s'; did you mean 'sample_sd'?"},
      {"[*]\nns=1\nwhatever_else=0.1\n", ":3: unknown key 'whatever_else'; there are ns, sample_sd, slot_sd,"},
      {"[*]\nns=1\n\n; x\nns=2\n", ":5: repeated key 'ns'"},
      {"[a]\nns=1\n[b]\nns=1\n[a]\ntail_p=0\n", ":6: repeated section 'a'"},
      {"ns=1\n", ":1: key outside a section: 'ns'"},
      {"[*]\nns=fast\n", ":2: ns is 'fast', not a number from"},
      {"[*]\nns=5x\n", ":2: ns is '5x'"},
      {"[*]\nns=nan\n", ":2: ns is 'nan'"},
      {"[*]\nns=\n", ":2: ns is ''"},
      {"[*]\nns=1\ntail_p=1.5\n", ":3: tail_p is '1.5', not a number from 0 to 1"},
      {"[a]\nns=1\n[slow]\ntail_p=0.5\n", "section [slow] lacks ns"},
      {"[\xF3\x1b[2J]\ntail_p=0.5\n", "section [??[2J] lacks ns"},
      {"[*]\nns=1\n  tail_p\n", ":3: neither [section] nor key = value"},
      {"[*\nns=1\n", ":1: neither [section] nor key = value"},
      {"[device]\nuuid=0123456789012345678901234567890123456789012345678901234567890123456789\n[*]\nns=1\n",
       ":2: value too long: 'uuid'"},
      {"[01234567890123456789012345678901234567890123456789]\nns=1\n", ":1: section names have at most 49 characters"},
      {"[*]\nns=1\n\x1b[31m=2\n", ":3: unknown key '?[31m'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct device *device;
    struct err err = {0};
    ASSERT_EQ_INT(open_text(rows[i].text, &device, &err), -1);
    ASSERT_HAS(err.text, rows[i].message);
    ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
  }
}

/* inih (the INI parser) would split this line in two, and its second half would be a valid key. */
static void long_lines_are_refused(void) {
  char text[600] = "[*]\nns=1\n";
  struct device *device;
  struct err err = {0};
  memset(text + strlen(text), ';', 198);
  strcat(text, "x=1\n");
  ASSERT_EQ_INT(open_text(text, &device, &err), -1);
  ASSERT_HAS(err.text, ":3: the line is longer than 198 characters");
  static const char nul[] = "[*]\nns=1\0\ntail_p=0\n";
  char spec[80];
  err = (struct err){0};
  snprintf(spec, sizeof spec, "fake:%s", script_of(nul, sizeof nul - 1));
  ASSERT_EQ_INT(device_open(spec, &device, &err), -1);
  unlink(script_path);
  ASSERT_HAS(err.text, ":2: the line is longer than 198 characters or holds a NUL");
}

static void missing_files_are_refused(void) {
  struct device *device;
  struct err err = {0};
  ASSERT_EQ_INT(device_open("fake:/nonexistent.ini", &device, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_DEVICE);
  ASSERT_HAS(err.text, "cannot open '/nonexistent.ini'");
  err = (struct err){0};
  ASSERT_EQ_INT(device_open("fake:/tmp", &device, &err), -1);
  ASSERT_HAS(err.text, "cannot read '/tmp'");
}

static void sections_are_found(void) {
  struct device *device = opened("[*]\nns=1\n[flash*]\nns=2\n[fla*]\nns=3\n[*n=7* flat]\nns=4\n");
  static const struct {
    const char *variant, *key;
    double ns;
  } rows[] = {{"flash2", "k", 2}, {"flat", "k[n=6]", 3}, {"other", "k", 1}};
  for (size_t i = 0; i < 3; i++) {
    int calls = 0;
    double ns;
    struct err err = {0};
    struct slot_state state;
    struct slot_request request = {.run = count_call,
                                   .before = NULL,
                                   .context = &calls,
                                   .variant = rows[i].variant,
                                   .key = rows[i].key,
                                   .count = 1,
                                   .replicas = 1,
                                   .flush = false};
    ASSERT_EQ_INT(device->ops->slot(device, &request, &ns, &state, &err), SLOT_OK);
    ASSERT_NEAR(ns, rows[i].ns, 0);
  }
  device->ops->close(device);
  device = opened("[*n=7* flat]\nns=4\n[fla*]\nns=3\n");
  int calls = 0;
  double ns;
  struct err err = {0};
  struct slot_state state;
  struct slot_request request = {.run = count_call,
                                 .before = NULL,
                                 .context = &calls,
                                 .variant = "flat",
                                 .key = "k[n=7]",
                                 .count = 1,
                                 .replicas = 1,
                                 .flush = false};
  device->ops->slot(device, &request, &ns, &state, &err);
  ASSERT_NEAR(ns, 4, 0);
  request.variant = "naive";
  ASSERT_EQ_INT(device->ops->slot(device, &request, &ns, &state, &err), SLOT_DEVICE);
  ASSERT_HAS(err.text, "no section for variant 'naive' and no [*]");
  ASSERT_EQ_INT(calls, 2);
  device->ops->close(device);
}

/* ---- Slots --------------------------------------------------------------------------------------------------- */

static void runs_once_a_slot(void) {
  struct device *device = opened("[*]\nns=100\n");
  int calls = 0;
  double ns[50];
  struct err err = {0};
  struct slot_state state;
  struct slot_request request = {.run = count_call,
                                 .before = count_call,
                                 .context = &calls,
                                 .variant = "v",
                                 .key = "k",
                                 .count = 50,
                                 .replicas = 1,
                                 .flush = true};
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_OK);
  ASSERT_EQ_INT(calls, 2);
  for (int i = 0; i < 50; i++)
    ASSERT_NEAR(ns[i], 100, 0);
  request.run = fail_call;
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_CALLBACK);
  request.before = fail_call;
  request.run = count_call;
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_CALLBACK);
  ASSERT_EQ_INT(calls, 3);
  device->ops->close(device);
}

static void seeds_repeat(void) {
  static const char text[] =
      "[device]\nseed=%s\n[*]\nns=1000\nsample_sd=0.01\nslot_sd=0.01\ntail_p=0.1\ntail_scale=1\n";
  char first[256], second[256];
  snprintf(first, sizeof first, "[device]\nseed=1\n%s", strstr(text, "[*]"));
  snprintf(second, sizeof second, "[device]\nseed=2\n%s", strstr(text, "[*]"));
  struct device *a = opened(first), *b = opened(first), *c = opened(second);
  double x[20], y[20], z[20], other[20];
  for (int i = 0; i < 3; i++) {
    sample(a, "v", 20, x);
    sample(b, "v", 20, y);
    sample(c, "v", 20, z);
    sample(a, "w", 20, other);
    ASSERT_EQ_INT(memcmp(x, y, sizeof x), 0);
    ASSERT_TRUE(memcmp(x, z, sizeof x) != 0);
    ASSERT_TRUE(memcmp(x, other, sizeof x) != 0); /* each variant has its own noise */
  }
  a->ops->close(a);
  b->ops->close(b);
  c->ops->close(c);
}

static void times_are_ticks_and_right_on_average(void) {
  struct device *device = opened("[device]\ntick_ns=32\n[*]\nns=1000\n");
  static double ns[20000];
  double sum = 0;
  int off = 0;
  sample(device, "v", 20000, ns);
  for (int i = 0; i < 20000; i++) {
    sum += ns[i] / 20000;
    off += fmod(ns[i], 32) != 0 || fabs(ns[i] - 1000) >= 32;
  }
  ASSERT_EQ_INT(off, 0);
  ASSERT_NEAR(sum, 1000, 0.5);
  device->ops->close(device);
}

static void drift_and_throttle(void) {
  struct device *device =
      opened("[drifts]\nns=1000\ndrift=0.01\n[throttles]\nns=1000\nthrottle_from=3\nthrottle_factor=2\n");
  for (int i = 0; i < 6; i++) {
    double ns;
    sample(device, "drifts", 1, &ns);
    ASSERT_NEAR(ns, 1000 * (1 + 0.01 * i), 1);
    sample(device, "throttles", 1, &ns);
    ASSERT_NEAR(ns, i < 3 ? 1000 : 2000, 0);
  }
  device->ops->close(device);
}

/* ---- The five models ------------------------------------------------------------------------------------------ */

enum { SLOTS = 4000, SAMPLES = 10 };

struct pool {
  double ns[SLOTS * SAMPLES], medians[SLOTS];
};

static void take(struct device *device, const char *variant, struct pool *pool, size_t slot) {
  double sorted[SAMPLES];
  sample(device, variant, SAMPLES, pool->ns + slot * SAMPLES);
  memcpy(sorted, pool->ns + slot * SAMPLES, sizeof sorted);
  stats_sort(sorted, SAMPLES);
  pool->medians[slot] = stats_quantile(sorted, SAMPLES, 0.5);
}

static double quantile(double *values, size_t count, double p) {
  stats_sort(values, count);
  return stats_quantile(values, count, p);
}

/* Returns the correlation of x[i] with y[i + lag]. */
static double correlation(const double *x, const double *y, size_t count, size_t lag) {
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < count; i++) {
    mx += x[i] / (double)count;
    my += y[i] / (double)count;
  }
  for (size_t i = 0; i < count; i++) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    if (i + lag < count) xy += (x[i] - mx) * (y[i + lag] - my);
  }
  return xy / sqrt(xx * yy);
}

static struct pool a, b;

static void take_both(const char *model) {
  struct device *device = open_model(model);
  ASSERT_NEAR(device->facts.tick_ns, 32, 0);
  for (size_t i = 0; i < SLOTS; i++) {
    take(device, "a", &a, i);
    take(device, "b", &b, i);
  }
  device->ops->close(device);
}

static void model_tail(void) {
  take_both("tail");
  double above = 0;
  for (size_t i = 0; i < SLOTS * SAMPLES; i++)
    above += a.ns[i] > 51500; /* more than 7 standard deviations */
  ASSERT_NEAR(above / (SLOTS * SAMPLES), 0.03 * exp(-0.03 / 0.2), 0.004);
  ASSERT_NEAR(quantile(a.ns, SLOTS * SAMPLES, 0.5), 50006, 12);
  double spread = quantile(a.ns, SLOTS * SAMPLES, 0.75) - quantile(a.ns, SLOTS * SAMPLES, 0.25);
  ASSERT_NEAR(spread / 50000, 1.349 * 0.00412 / 0.97, 7e-4);
}

static void model_states(void) {
  take_both("states");
  int switches = 0, mixed = 0, slow = 0;
  for (size_t i = 0; i < SLOTS; i++) {
    bool a_slow = a.medians[i] > 50950, b_slow = b.medians[i] > 50950;
    slow += a_slow;
    mixed += a_slow != b_slow; /* between the two slots the state switches with a probability of 0.08 */
    switches += i > 0 && a_slow != (a.medians[i - 1] > 50950);
  }
  ASSERT_NEAR(slow, SLOTS / 2, 450);
  ASSERT_NEAR(mixed, 0.08 * SLOTS, 90);
  ASSERT_NEAR(switches, 2 * 0.08 * 0.92 * SLOTS, 120);
  ASSERT_NEAR(quantile(a.medians, SLOTS, 0.2), 50000, 100);
  ASSERT_NEAR(quantile(a.medians, SLOTS, 0.8), 51900, 100);
}

static void model_noisy(void) {
  take_both("noisy");
  ASSERT_NEAR(quantile(a.ns, SLOTS * SAMPLES, 0.5), 50000, 25);
  double sd = (quantile(a.ns, SLOTS * SAMPLES, 0.8413) - quantile(a.ns, SLOTS * SAMPLES, 0.1587)) / 2 / 50000;
  ASSERT_NEAR(sd, sqrt(0.01 * 0.01 + 0.004 * 0.004), 3e-4);
  ASSERT_NEAR(correlation(a.medians, b.medians, SLOTS, 0), 0, 0.08);
}

static void model_modes(void) {
  take_both("modes");
  double slow = 0;
  for (size_t i = 0; i < SLOTS * SAMPLES; i++)
    slow += a.ns[i] > 50750;
  ASSERT_NEAR(slow / (SLOTS * SAMPLES), 0.5, 0.02);
  ASSERT_NEAR(quantile(a.ns, SLOTS * SAMPLES, 0.25), 50000, 60);
  ASSERT_NEAR(quantile(a.ns, SLOTS * SAMPLES, 0.75), 51500, 60);
}

static void model_ar1(void) {
  take_both("ar1");
  /* the remaining variance is noise of the median itself */
  double share = 0.002 * 0.002 / (0.002 * 0.002 + 0.0014 * 0.0014);
  ASSERT_NEAR(correlation(a.medians, a.medians, SLOTS, 1), 0.6 * share, 0.08);
  ASSERT_NEAR(correlation(a.medians, a.medians, SLOTS, 3), 0.216 * share, 0.08);
  ASSERT_NEAR(correlation(a.medians, b.medians, SLOTS, 0), 0, 0.1);
  ASSERT_NEAR(quantile(a.medians, SLOTS, 0.5), 50000, 25);
  double sd = (quantile(a.medians, SLOTS, 0.8413) - quantile(a.medians, SLOTS, 0.1587)) / 2 / 50000;
  ASSERT_NEAR(sd, sqrt(0.002 * 0.002 + 0.0015 * 0.0015), 2e-4);
}

UNIT_MAIN("device_fake", UNIT_TEST(facts_come_from_the_script), UNIT_TEST(bad_scripts_are_refused),
          UNIT_TEST(long_lines_are_refused), UNIT_TEST(missing_files_are_refused), UNIT_TEST(sections_are_found),
          UNIT_TEST(runs_once_a_slot), UNIT_TEST(seeds_repeat), UNIT_TEST(times_are_ticks_and_right_on_average),
          UNIT_TEST(drift_and_throttle), UNIT_TEST(model_tail), UNIT_TEST(model_states), UNIT_TEST(model_noisy),
          UNIT_TEST(model_modes), UNIT_TEST(model_ar1))
