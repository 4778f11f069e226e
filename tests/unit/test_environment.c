/* Facts about the machine: what is always there, and what is only taken from a list. */
#include "environment.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static const char *value_of(const struct pairs *pairs, const char *name) {
  for (size_t i = 0; i < pairs->names.count; i++)
    if (strcmp(pairs->names.items[i], name) == 0) return pairs->values.items[i];
  return NULL;
}

static void pairs_keep_their_order(void) {
  struct pairs pairs = {0};
  pairs_add(&pairs, "b", "%d%%", 5);
  pairs_add(&pairs, "a", "%s", "");
  pairs_add(&pairs, "b", "again");
  ASSERT_EQ_INT(pairs.names.count, 3);
  ASSERT_EQ_INT(pairs.values.count, 3);
  ASSERT_EQ_STR(pairs.names.items[0], "b");
  ASSERT_EQ_STR(pairs.values.items[0], "5%");
  ASSERT_EQ_STR(pairs.values.items[1], "");
  ASSERT_EQ_STR(pairs.values.items[2], "again");
  char *large = xcalloc(5001, 1);
  memset(large, 'x', 5000);
  pairs_add(&pairs, "large", "%s", large);
  ASSERT_EQ_INT(strlen(pairs.values.items[3]), 4095);
  free(large);
  pairs_free(&pairs);
  ASSERT_EQ_INT(pairs.names.count, 0);
}

static void hosts_say_what_they_are(void) {
  static const char *const names[] = {"host", "kernel", "cpu", "threads", "compiler", "gpubench_version"};
  struct pairs pairs = {0};
  environment_host(&pairs);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = value_of(&pairs, names[i]);
    if (value == NULL || value[0] == '\0') UNIT_FAIL("no '%s'", names[i]);
  }
  ASSERT_TRUE(atoi(value_of(&pairs, "threads")) >= 1);
  ASSERT_EQ_STR(value_of(&pairs, "gpubench_version"), GPUBENCH_VERSION);
  pairs_free(&pairs);
}

static void a_cpu_has_no_facts_of_a_gpu(void) {
  struct device_facts facts = {.backend = "cpu", .spec = "cpu", .name = "a cpu", .memory_bytes = 1 << 30};
  struct pairs pairs = {0};
  environment_device(&pairs, &facts);
  ASSERT_EQ_STR(value_of(&pairs, "device"), "cpu");
  ASSERT_EQ_STR(value_of(&pairs, "device_name"), "a cpu");
  ASSERT_EQ_STR(value_of(&pairs, "memory_bytes"), "1073741824");
  ASSERT_TRUE(value_of(&pairs, "device_uuid") == NULL && value_of(&pairs, "nvml") == NULL);
  pairs_free(&pairs);
  facts.memory_bytes = -1;
  environment_device(&pairs, &facts);
  ASSERT_TRUE(value_of(&pairs, "memory_bytes") == NULL); /* not known is not said */
  pairs_free(&pairs);
}

static void conditions_of_a_cpu_are_its_load(void) {
  struct device_facts facts = {.backend = "cpu", .threads = 1000000};
  char text[256];
  environment_conditions(&facts, text, sizeof text);
  ASSERT_HAS(text, "ok: load ");
  ASSERT_HAS(text, " on 1000000 threads");
  facts.threads = -1;
  environment_conditions(&facts, text, sizeof text);
  ASSERT_HAS(text, " on 1 threads");
}

/* Somewhere no driver is: said, not zero. */
static void a_gpu_without_nvml_is_unknown(void) {
  struct device_facts facts = {.backend = "cuda", .spec = "cuda:0", .name = "?", .uuid = "GPU-none"};
  struct pairs pairs = {0};
  char text[512];
  environment_conditions(&facts, text, sizeof text);
  ASSERT_HAS(text, "unknown: NVML: ");
  environment_device(&pairs, &facts);
  ASSERT_EQ_STR(value_of(&pairs, "device_uuid"), "GPU-none");
  const char *nvml = value_of(&pairs, "nvml");
  ASSERT_HAS(nvml ? nvml : "", "unavailable: ");
  ASSERT_TRUE(value_of(&pairs, "power_limit_w") == NULL && value_of(&pairs, "ecc") == NULL);
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
  ASSERT_EQ_STR(value_of(&tags, "GITHUB_SHA"), "abc123");
  ASSERT_TRUE(value_of(&tags, "BUILD_NUMBER") == NULL);
  ASSERT_EQ_INT(strlen(value_of(&tags, "SLURM_JOB_NAME")), 500);
  for (size_t i = 0; i < tags.values.count; i++)
    ASSERT_TRUE(strstr(tags.values.items[i], "secret") == NULL);
  pairs_free(&tags);
  unsetenv("GITHUB_SHA"), unsetenv("SLURM_JOB_NAME"), unsetenv("BUILD_NUMBER");
}

static const char *const gpu_variables[] = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "SLURM_JOB_GPUS",
                                            "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE"};

static bool expects(const char *name, const char *value, char why[static 256]) {
  for (size_t i = 0; i < 5; i++)
    unsetenv(gpu_variables[i]);
  if (name != NULL) setenv(name, value, 1);
  bool expected = environment_expects_gpu(why, 256);
  if (name != NULL) unsetenv(name);
  return expected;
}

static void a_gpu_is_expected_where_something_says_so(void) {
  static const char *const none[] = {"", "-1", "void", "none", "NoDevFiles"};
  char why[256], set[64];
  if (expects(NULL, NULL, why)) { /* a machine with a driver: the variables do not come to it */
    ASSERT_HAS(why, " is here");
    return;
  }
  ASSERT_HAS(why, "nothing here says GPU");
  for (size_t i = 0; i < 5; i++) {
    ASSERT_TRUE(!expects(gpu_variables[0], none[i], why));
    ASSERT_TRUE(expects(gpu_variables[i], "0", why));
    snprintf(set, sizeof set, "%s is set", gpu_variables[i]);
    ASSERT_EQ_STR(why, set);
  }
}

UNIT_MAIN("environment", UNIT_TEST(pairs_keep_their_order), UNIT_TEST(hosts_say_what_they_are),
          UNIT_TEST(a_cpu_has_no_facts_of_a_gpu), UNIT_TEST(conditions_of_a_cpu_are_its_load),
          UNIT_TEST(a_gpu_without_nvml_is_unknown), UNIT_TEST(only_listed_variables_become_tags),
          UNIT_TEST(a_gpu_is_expected_where_something_says_so))
