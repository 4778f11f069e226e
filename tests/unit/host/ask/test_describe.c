/* Tests the checks of what a worker process tells about its plugins, benches and variants. A plugin may have
 * overwritten the worker's memory, so any bytes may arrive. */
#include "ask/describe.h"

#include <stdlib.h>

#include "base/memory.h"
#include "unit.h"

#define SET(to, text) text_copy((to), sizeof(to), (text))
#define SCRIBBLE(text) memset((text), 'x', sizeof(text)) /* leaves no NUL */

static struct plugin_desc good_plugin(void) {
  struct plugin_desc desc = {.bench_count = 2, .variant_count = 3};
  SET(desc.id, "vector");
  SET(desc.version, "1.0");
  return desc;
}

static struct bench_desc *good_bench(void) {
  struct bench_desc *desc = xcalloc(1, sizeof *desc);
  SET(desc->name, "scale");
  SET(desc->contract, "test/scale/1");
  desc->axis_count = 1;
  desc->preset_count = 1;
  desc->axes[0].type = AXIS_I64;
  desc->axes[0].default_count = 1;
  SET(desc->axes[0].name, "n");
  SET(desc->axes[0].values, "1");
  SET(desc->presets[0].name, "small");
  return desc;
}

static struct variant_desc good_variant(void) {
  struct variant_desc desc = {.bench = 1};
  SET(desc.name, "plain");
  SET(desc.backend, "cpu");
  SET(desc.math, "fp32");
  SET(desc.contract, "test/scale/1");
  return desc;
}

static void plugin_refused(struct plugin_desc desc, const char *message) {
  struct err err = {0};
  ASSERT_EQ_INT(describe_check_plugin(&desc, &err), -1);
  ASSERT_EQ_STR(err.text, message);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
}

static void checks_plugins(void) {
  struct err err = {0};
  struct plugin_desc desc = good_plugin();
  SCRIBBLE(desc.version), SCRIBBLE(desc.build), SCRIBBLE(desc.summary);
  ASSERT_EQ_INT(describe_check_plugin(&desc, &err), 0);
  ASSERT_EQ_INT(strlen(desc.version), TEXT_SIZE - 1);
  ASSERT_EQ_INT(strlen(desc.summary), TEXT_SIZE - 1);
  desc = good_plugin();
  SET(desc.id, "a b");
  plugin_refused(desc, "its id is not a valid name");
  desc.id[0] = '\0';
  plugin_refused(desc, "its id is not a valid name");
  desc = good_plugin();
  desc.bench_count = 257;
  plugin_refused(desc, "257 benches and 3 variants, at most 256 and 4096");
  desc = good_plugin();
  desc.variant_count = UINT32_MAX;
  plugin_refused(desc, "2 benches and 4294967295 variants, at most 256 and 4096");
}

static void texts_cannot_drive_a_terminal(void) {
  struct err err = {0};
  struct plugin_desc plugin = good_plugin();
  struct bench_desc *bench = good_bench();
  struct variant_desc variant = good_variant();
  SET(plugin.summary, "a\x1B[2J");
  SET(bench->summary, "a\nb");
  SET(bench->axes[0].summary, "\r");
  SET(bench->presets[0].summary, "\xFF");
  SET(variant.summary, "\x7F");
  ASSERT_EQ_INT(describe_check_plugin(&plugin, &err), 0);
  ASSERT_EQ_INT(describe_check_bench(bench, &err), 0);
  ASSERT_EQ_INT(describe_check_variant(&variant, &plugin, &err), 0);
  ASSERT_EQ_STR(plugin.summary, "a?[2J");
  ASSERT_EQ_STR(bench->summary, "a?b");
  ASSERT_EQ_STR(bench->axes[0].summary, "?");
  ASSERT_EQ_STR(bench->presets[0].summary, "?");
  ASSERT_EQ_STR(variant.summary, "?");
  free(bench);
}

static void bench_refused(struct bench_desc *desc, const char *message) {
  struct err err = {0};
  ASSERT_EQ_INT(describe_check_bench(desc, &err), -1);
  ASSERT_EQ_STR(err.text, message);
  free(desc);
}

static void checks_benches(void) {
  struct bench_desc *desc = good_bench();
  desc->axis_count = AXES_MAX + 1;
  bench_refused(desc, "a bench is malformed");
  (desc = good_bench())->preset_count = UINT32_MAX;
  bench_refused(desc, "a bench is malformed");
  (desc = good_bench())->name[0] = '.';
  bench_refused(desc, "a bench is malformed");
  SCRIBBLE((desc = good_bench())->name); /* a name of 63 bytes is accepted; one of 64 bytes has no terminating NUL */
  struct err err = {0};
  ASSERT_EQ_INT(describe_check_bench(desc, &err), 0);
  ASSERT_EQ_INT(strlen(desc->name), ID_SIZE - 1);
  free(desc);
  (desc = good_bench())->contract[0] = '\0';
  bench_refused(desc, "a bench is malformed");
  (desc = good_bench())->devices_axis = AXES_MAX;
  bench_refused(desc, "a bench is malformed");
  (desc = good_bench())->devices_axis = 1;
  desc->axes[0].type = AXIS_STR;
  bench_refused(desc, "a bench is malformed");
}

static void checks_axes_and_presets(void) {
  struct bench_desc *desc = good_bench();
  desc->axes[0].type = 0;
  bench_refused(desc, "an axis is malformed");
  (desc = good_bench())->axes[0].type = 4;
  bench_refused(desc, "an axis is malformed");
  (desc = good_bench())->axes[0].default_count = BACKENDS_MAX + 1;
  bench_refused(desc, "an axis is malformed");
  (desc = good_bench())->axes[0].name[0] = '=';
  bench_refused(desc, "an axis is malformed");
  (desc = good_bench())->presets[0].name[0] = '\0';
  bench_refused(desc, "a preset is malformed");
}

static void ends_every_text_of_a_bench(void) {
  struct err err = {0};
  struct bench_desc *desc = good_bench();
  struct axis_desc *axis = &desc->axes[0];
  struct preset_desc *preset = &desc->presets[0];
  SCRIBBLE(desc->contract), SCRIBBLE(desc->summary);
  SCRIBBLE(axis->unit), SCRIBBLE(axis->summary), SCRIBBLE(axis->choices), SCRIBBLE(axis->values);
  SCRIBBLE(axis->defaults[0].backend), SCRIBBLE(axis->defaults[0].values);
  SCRIBBLE(preset->summary), SCRIBBLE(preset->point), SCRIBBLE(preset->backends);
  ASSERT_EQ_INT(describe_check_bench(desc, &err), 0);
  const char *const texts[] = {desc->contract,
                               desc->summary,
                               axis->unit,
                               axis->summary,
                               axis->choices,
                               axis->values,
                               preset->point,
                               axis->defaults[0].backend,
                               preset->summary,
                               preset->backends,
                               axis->defaults[0].values};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    size_t length = strlen(texts[i]);
    if (length != ID_SIZE - 1 && length != TEXT_SIZE - 1 && length != EXPR_SIZE - 1)
      UNIT_FAIL("text %zu has %zu bytes", i, length);
  }
  free(desc);
}

static void variant_refused(struct variant_desc desc) {
  struct err err = {0};
  struct plugin_desc plugin = good_plugin();
  ASSERT_EQ_INT(describe_check_variant(&desc, &plugin, &err), -1);
  ASSERT_EQ_STR(err.text, "a variant is malformed");
}

static void checks_variants(void) {
  struct err err = {0};
  struct plugin_desc plugin = good_plugin();
  struct variant_desc desc = good_variant();
  SCRIBBLE(desc.summary), SCRIBBLE(desc.contract);
  desc.bench = -1;
  ASSERT_EQ_INT(describe_check_variant(&desc, &plugin, &err), 0);
  ASSERT_EQ_INT(strlen(desc.summary), TEXT_SIZE - 1);
  ASSERT_EQ_INT(strlen(desc.contract), TEXT_SIZE - 1);
  static const int32_t benches[] = {2, 1000, -2, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < 5; i++) {
    desc = good_variant();
    desc.bench = benches[i];
    variant_refused(desc);
  }
  desc = good_variant();
  desc.name[0] = '\0';
  variant_refused(desc);
  desc = good_variant();
  desc.backend[0] = '\0';
  variant_refused(desc);
  desc = good_variant();
  desc.math[0] = '\0'; /* refused, because rows could not be compared without it */
  variant_refused(desc);
}

UNIT_MAIN("describe", UNIT_TEST(checks_plugins), UNIT_TEST(texts_cannot_drive_a_terminal), UNIT_TEST(checks_benches),
          UNIT_TEST(checks_axes_and_presets), UNIT_TEST(ends_every_text_of_a_bench), UNIT_TEST(checks_variants))
