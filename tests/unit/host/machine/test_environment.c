/* Tests the facts about the machine that a run records, as pairs of a name and a value. */
#include "machine/environment.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/device_trait.h"
#include "unit.h"

static void hosts_say_what_they_are(void) {
  static const char *const names[] = {"host",     "kernel",    "cpu",      "threads",    "compiler",
                                      "governor", "cpu_quota", "affinity", "hypervisor", "gpubench_version"};
  struct pairs pairs = {0};
  environment_host(&pairs);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = pairs_get(&pairs, names[i]);
    if (value == NULL || value[0] == '\0') UNIT_FAIL("no '%s'", names[i]);
  }
  ASSERT_TRUE(atoi(pairs_get(&pairs, "threads")) >= 1);
  ASSERT_EQ_STR(pairs_get(&pairs, "gpubench_version"), GPUBENCH_VERSION);
  pairs_free(&pairs);
}

static void a_cpu_has_no_facts_of_a_gpu(void) {
  struct device_facts facts = {
      .backend = "cpu", .traits = DEVICE_TRAITS_CPU, .spec = "cpu", .name = "a cpu", .memory_bytes = 1 << 30};
  struct pairs pairs = {0};
  environment_device(&pairs, &facts);
  ASSERT_EQ_STR(pairs_get(&pairs, "device"), "cpu");
  ASSERT_EQ_STR(pairs_get(&pairs, "device_name"), "a cpu");
  ASSERT_EQ_STR(pairs_get(&pairs, "memory_bytes"), "1073741824");
  ASSERT_TRUE(pairs_get(&pairs, "device_uuid") == NULL && pairs_get(&pairs, "nvml") == NULL);
  pairs_free(&pairs);
  facts.memory_bytes = -1;
  environment_device(&pairs, &facts);
  ASSERT_TRUE(pairs_get(&pairs, "memory_bytes") == NULL); /* unknown values are left out */
  pairs_free(&pairs);
}

static const char *unfold(const struct pairs *pairs, const char *name) {
  const char *value = pairs_get(pairs, name);
  return value != NULL ? value : "(none)";
}

static void what_the_kernel_hides_is_unknown(void) {
  static const char *const names[] = {"affinity", "cpus_online", "cpu_quota", "governor",
                                      "cpu_mhz",  "cpu_boost",   "smt",       "hypervisor"};
  struct cpu_facts facts;
  struct pairs pairs = {0};
  cpu_facts_read("/nonexistent", &facts);
  environment_cpu(&pairs, &facts);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(unfold(&pairs, names[i]), "unknown") != 0) UNIT_FAIL("%s is %s", names[i], unfold(&pairs, names[i]));
  ASSERT_EQ_INT(pairs.count, 8); /* facts that mean nothing on this machine are left out */
  pairs_free(&pairs);
}

static void every_fact_of_the_processors_has_its_key(void) {
  struct cpu_facts facts = {.online = 64, .governor = "powersave", .governed = 3, .mhz = 2600.4, .mhz_min = 800};
  struct pairs pairs = {0};
  cpus_parse("0-3,8", &facts.allowed);
  facts.mhz_max = 3500;
  facts.smt = 1;
  facts.siblings = 4;
  facts.quota_cpus = 1.5;
  environment_cpu(&pairs, &facts);
  ASSERT_EQ_STR(unfold(&pairs, "affinity"), "0-3,8");
  ASSERT_EQ_STR(unfold(&pairs, "cpus_online"), "64");
  ASSERT_EQ_STR(unfold(&pairs, "cpu_quota"), "1.5");
  ASSERT_EQ_STR(unfold(&pairs, "governor"), "powersave on 3 of 5 threads");
  ASSERT_EQ_STR(unfold(&pairs, "cpu_mhz"), "2600");
  ASSERT_EQ_STR(unfold(&pairs, "cpu_mhz_min"), "800");
  ASSERT_EQ_STR(unfold(&pairs, "cpu_mhz_max"), "3500");
  ASSERT_EQ_STR(unfold(&pairs, "cpu_boost"), "off");
  ASSERT_EQ_STR(unfold(&pairs, "smt"), "on");
  ASSERT_EQ_STR(unfold(&pairs, "threads_sharing_cores"), "4");
  ASSERT_EQ_STR(unfold(&pairs, "hypervisor"), "no");
  pairs_free(&pairs);
  facts.quota_cpus = INFINITY;
  facts.governed = 5;
  environment_cpu(&pairs, &facts);
  ASSERT_EQ_STR(unfold(&pairs, "cpu_quota"), "none");
  ASSERT_EQ_STR(unfold(&pairs, "governor"), "powersave");
  pairs_free(&pairs);
}

/* Describes the state of this machine's processors. The line must begin with "ok" or with a fault, and then describe
 * the processors. */
static void conditions_of_a_cpu_say_their_faults_first(void) {
  static const char *const faults[] = {"load ",  "a quota ",  "governor ",   "held back ",
                                       "steal ", "other pro", "the process", "interrupt"};
  const struct device_facts facts = {.backend = "cpu", .traits = DEVICE_TRAITS_CPU, .spec = "cpu"};
  struct cpu_times since;
  char text[512];
  cpu_times_read("", &since);
  environment_conditions(&facts, &since, text, sizeof text);
  bool ok = strncmp(text, "ok: ", 4) == 0, fault = strstr(text, " other task") != NULL;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    fault = fault || strncmp(text, faults[i], strlen(faults[i])) == 0;
  printf("\n    %s\n", text);
  if (ok == fault) UNIT_FAIL("neither ok nor a fault: %s", text);
  if (fault) ASSERT_HAS(text, " (");
  char small[24];
  environment_conditions(&facts, NULL, small, sizeof small);
  ASSERT_TRUE(strlen(small) < sizeof small);
}

static void a_scripted_device_does_not_mind(void) {
  const struct device_facts facts = {.backend = "cpu", .traits = DEVICE_SCRIPTED, .spec = "fake:x.ini"};
  char text[512];
  environment_conditions(&facts, NULL, text, sizeof text);
  ASSERT_HAS(text, "ok: a scripted device");
}

/* The facts are unknown, not zero, if there is no driver. */
static void a_gpu_without_nvml_is_unknown(void) {
  struct device_facts facts = {
      .backend = "cuda", .traits = DEVICE_TRAITS_GPU, .spec = "cuda:0", .name = "?", .uuid = "GPU-none"};
  struct pairs pairs = {0};
  char text[512];
  environment_conditions(&facts, NULL, text, sizeof text);
  ASSERT_HAS(text, "nknown: NVML: "); /* after the host's faults, if any */
  environment_device(&pairs, &facts);
  ASSERT_EQ_STR(pairs_get(&pairs, "device_uuid"), "GPU-none");
  const char *nvml = pairs_get(&pairs, "nvml");
  ASSERT_HAS(nvml ? nvml : "", "unavailable: ");
  ASSERT_TRUE(pairs_get(&pairs, "power_limit_w") == NULL && pairs_get(&pairs, "ecc") == NULL);
  pairs_free(&pairs);
}

static void only_listed_variables_become_tags(void) {
  struct pairs tags = {0};
  char text[600];
  memset(text, 'j', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  setenv("GITHUB_SHA", "abc123", 1);
  setenv("GITHUB_TOKEN", "secret", 1);
  setenv("CI_JOB_TOKEN", "secret", 1);
  setenv("BUILD_NUMBER", "", 1);
  setenv("SLURM_JOB_NAME", text, 1);
  environment_ci_tags(&tags);
  ASSERT_EQ_STR(pairs_get(&tags, "GITHUB_SHA"), "abc123");
  ASSERT_TRUE(pairs_get(&tags, "BUILD_NUMBER") == NULL);
  ASSERT_EQ_INT(strlen(pairs_get(&tags, "SLURM_JOB_NAME")), 500);
  for (size_t i = 0; i < tags.count; i++)
    ASSERT_TRUE(strstr(tags.items[i].value, "secret") == NULL);
  pairs_free(&tags);
  unsetenv("GITHUB_SHA"), unsetenv("SLURM_JOB_NAME"), unsetenv("BUILD_NUMBER");
}

static const char *const gpu_variables[] = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "SLURM_JOB_GPUS",
                                            "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE"};

static bool expects(const char *name, const char *value, char why[static 256]) {
  for (size_t i = 0; i < 5; i++)
    unsetenv(gpu_variables[i]);
  if (name != NULL) setenv(name, value, 1);
  bool expected = environment_expects_gpu("", why, 256);
  if (name != NULL) unsetenv(name);
  return expected;
}

static void a_gpu_is_expected_where_something_says_so(void) {
  static const char *const none[] = {"", "-1", "void", "none", "NoDevFiles"};
  char why[256], set[64];
  if (expects(NULL, NULL, why)) { /* on a machine with a driver, the variables are not examined */
    ASSERT_HAS(why, " is here");
    return;
  }
  ASSERT_HAS(why, "no GPU detected");
  for (size_t i = 0; i < 5; i++) {
    ASSERT_TRUE(!expects(gpu_variables[0], none[i], why));
    ASSERT_TRUE(expects(gpu_variables[i], "0", why));
    snprintf(set, sizeof set, "%s is set", gpu_variables[i]);
    ASSERT_EQ_STR(why, set);
  }
}

UNIT_MAIN("environment", UNIT_TEST(hosts_say_what_they_are), UNIT_TEST(a_cpu_has_no_facts_of_a_gpu),
          UNIT_TEST(what_the_kernel_hides_is_unknown), UNIT_TEST(every_fact_of_the_processors_has_its_key),
          UNIT_TEST(conditions_of_a_cpu_say_their_faults_first), UNIT_TEST(a_scripted_device_does_not_mind),
          UNIT_TEST(a_gpu_without_nvml_is_unknown), UNIT_TEST(only_listed_variables_become_tags),
          UNIT_TEST(a_gpu_is_expected_where_something_says_so))
