/* Tests building a plan from selections and descriptions: which cases, their order, their keys, and every refusal. */
#include "plan/build.h"

#include "fixture_catalog.h"
#include "plan/expand.h"
#include "unit.h"

static struct fixture *fixture;
static struct selection cli;
static struct plan plan;
static struct err error;

static void begin(void) {
  if (fixture == NULL) fixture = fixture_new();
  selection_free(&cli);
  selection_init(&cli, "command line");
}

static int build(const char *backend) {
  plan_free(&plan);
  error = (struct err){0};
  return plan_build(&fixture->catalog, &cli, 1, backend, &plan, &error);
}

/* Returns "*" for a variant that others are divided by (a baseline), "~NAME" for one that is divided by its twin NAME
 * (the same variant of another build), else "". */
static const char *star(const struct plan_case *c, size_t v) {
  static char text[ID_SIZE * 2 + 2];
  const struct denominator *against = &c->variants[v].against;
  if (against->twin == 0) return against->common ? "*" : "";
  snprintf(text, sizeof text, "~%s", c->variants[against->twin - 1].name);
  return text;
}

/* Returns every case with its variants: "KEY cudnn* flash!; ..."; '*' marks the baseline, '!' a required one. */
static const char *shown(void) {
  static char text[8192];
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < plan.count; i++) {
    const struct plan_case *c = &plan.cases[i];
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "; " : "", c->key);
    for (size_t v = 0; v < c->variant_count; v++)
      used += (size_t)snprintf(text + used, sizeof text - used, " %s%s%s", c->variants[v].name, star(c, v),
                               c->variants[v].required ? "!" : "");
  }
  return text;
}

static void plans(const char *backend, const char *expected) {
  ASSERT_EQ_INT(build(backend), 0);
  ASSERT_EQ_STR(error.text, "");
  ASSERT_EQ_STR(shown(), expected);
  begin();
}

static void refused(const char *backend, const char *message) {
  ASSERT_EQ_INT(build(backend), -1);
  ASSERT_EQ_INT(error.exit_code, 2);
  ASSERT_EQ_STR(error.text, message);
  ASSERT_EQ_INT(plan.count, 0);
  begin();
}

#define ADD(list, text) strings_add(&cli.list, (text))

/* Selects attention alone, with its own variants. */
static void attention(void) {
  begin();
  ADD(plugins, "attention");
}

static void default_presets_are_the_default(void) {
  attention();
  plans("cuda",
        "attention/forward[b=16,h=12,s=1024,dtype=bf16] cudnn* flash standard; "
        "attention/forward[b=2,h=32,s=4096,dtype=bf16] cudnn* flash standard");
  attention();
  ASSERT_EQ_INT(build("cuda"), 0);
  ASSERT_EQ_STR(plan.cases[0].point.preset, "gpt2-1k");
  ASSERT_EQ_STR(plan.cases[0].id, "attention/forward");
  ASSERT_EQ_INT(plan.cases[0].point.values[2].i64, 1024);
  ASSERT_TRUE(!plan.cases[0].yardstick);
  ASSERT_TRUE(isnan(plan.cases[0].precision));
}

static void without_presets_the_product(void) {
  attention();
  plans("cpu", "attention/forward[b=1,h=2,s=64,dtype=bf16] naive*; attention/forward[b=1,h=2,s=128,dtype=bf16] naive*");
  ADD(plugins, "softmax.so");
  plans("cuda",
        "softmax/rows[n=1024,t=0.5] online flash*; softmax/rows[n=2048,t=0.5] online flash*; "
        "softmax/rows[n=4096,t=0.5] online flash*");
  ADD(plugins, "./copy.so");
  plans("cuda", "copy/all copy");
}

static void axes_override(void) {
  attention();
  ADD(axes, "dtype=fp32,bf16"); /* no preset sets it, so presets are used */
  ADD(variants, "flash");
  plans("cuda",
        "attention/forward[b=16,h=12,s=1024,dtype=fp32] flash; attention/forward[b=16,h=12,s=1024,dtype=bf16] flash; "
        "attention/forward[b=2,h=32,s=4096,dtype=fp32] flash; attention/forward[b=2,h=32,s=4096,dtype=bf16] flash");
  attention();
  ADD(axes, "s=512"); /* a preset sets it, so the product of axes is used */
  ADD(variants, "flash");
  plans("cuda", "attention/forward[b=1,h=2,s=512,dtype=bf16] flash");
  attention();
  ADD(axes, "s[pow2]=[8:9]");
  plans("cpu",
        "attention/forward[b=1,h=2,s=256,dtype=bf16] naive*; attention/forward[b=1,h=2,s=512,dtype=bf16] naive*");
  ADD(plugins, "/opt/plugins/softmax.so");
  ADD(axes, "n=1,1,1");
  plans("cpu", "softmax/rows[n=1,t=0.5] naive");
}

static void presets_by_name(void) {
  attention();
  ADD(presets, "odd");
  plans("cpu", "attention/forward[b=1,h=2,s=77,dtype=bf16] naive*");
  attention();
  ADD(presets, "gpt2*,odd");
  ADD(axes, "h=4,12");
  ASSERT_EQ_INT(build("cpu"), 0);
  ASSERT_EQ_STR(
      shown(),
      "attention/forward[b=16,h=4,s=1024,dtype=bf16] naive*; attention/forward[b=16,h=12,s=1024,dtype=bf16] "
      "naive*; attention/forward[b=1,h=4,s=77,dtype=bf16] naive*; attention/forward[b=1,h=12,s=77,dtype=bf16] "
      "naive*");
  /* A preset's label is kept only if all of its values hold. */
  ASSERT_EQ_STR(plan.cases[0].point.preset, "");
  ASSERT_EQ_STR(plan.cases[1].point.preset, "gpt2-1k");
  ASSERT_EQ_STR(plan.cases[2].point.preset, "odd");
  attention();
  ADD(presets, "*");
  ADD(axes, "b=1");
  ADD(axes, "h=1");
  ADD(axes, "s=1"); /* three presets give the same key */
  plans("cpu", "attention/forward[b=1,h=1,s=1,dtype=bf16] naive*");
}

static void axes_are_scoped(void) {
  begin();
  ADD(plugins, "softmax");
  ADD(plugins, "attention");
  ADD(axes, "forward.b=3");
  ADD(axes, "attention/f*.s=5");
  ADD(axes, "softmax/rows.n=7");
  plans("cpu", "attention/forward[b=3,h=2,s=5,dtype=bf16] naive*; softmax/rows[n=7,t=0.5] naive");
  attention();
  ADD(axes, "s=9");
  ADD(axes, "forward.s=8"); /* the last one counts */
  plans("cpu", "attention/forward[b=1,h=2,s=8,dtype=bf16] naive*");
}

static void guests_join(void) {
  attention();
  ADD(plugins, "mine");
  ADD(presets, "gpt2-1k");
  plans("cuda", "attention/forward[b=16,h=12,s=1024,dtype=bf16] cudnn* flash standard flash@mine tiled");
  attention();
  ADD(plugins, "mine");
  ADD(axes, "s=1");
  plans("cpu", "attention/forward[b=1,h=2,s=1,dtype=bf16] naive* tiled");
  /* The variants and their names are the same if the plugin with the guest is loaded first. */
  struct catalog_plugin reversed[] = {fixture->plugins[MINE], fixture->plugins[ATTENTION]};
  struct catalog catalog = {reversed, 2};
  ADD(presets, "gpt2-1k");
  plan_free(&plan);
  ASSERT_EQ_INT(plan_build(&catalog, &cli, 1, "cuda", &plan, &error), 0);
  ASSERT_EQ_STR(shown(), "attention/forward[b=16,h=12,s=1024,dtype=bf16] cudnn* flash standard flash@mine tiled");
  ASSERT_EQ_INT(plan.cases[0].plugin, 1);
  ASSERT_EQ_INT(plan.cases[0].variants[3].plugin, 0);
  begin();
}

static void benches_by_name_run_beside_a_guest(void) {
  begin();
  fixture->benches[ATTENTION].flags = BENCH_BY_NAME;
  ADD(plugins, "attention");
  ADD(plugins, "mine");
  ADD(axes, "s=1");
  plans("cpu", "attention/forward[b=1,h=2,s=1,dtype=bf16] naive* tiled");
  ADD(plugins, "attention");
  ADD(plugins, "mine");
  ADD(plugins, "copy");
  ADD(excludes, "tiled");
  plans("cpu", "copy/all memcpy");
  fixture->benches[ATTENTION].flags = 0;
}

static void benches_by_name_wait_for_it(void) {
  begin();
  fixture->benches[ATTENTION].flags = BENCH_BY_NAME;
  ADD(plugins, "attention");
  ADD(plugins, "copy");
  plans("cpu", "copy/all memcpy");
  ADD(plugins, "attention");
  ADD(axes, "s=1");
  ADD(benches, "forward");
  plans("cpu", "attention/forward[b=1,h=2,s=1,dtype=bf16] naive*");
  ADD(plugins, "attention");
  ADD(cases, "attention/forward[s=1]");
  plans("cpu", "attention/forward[b=1,h=2,s=1,dtype=bf16] naive*");
  ADD(plugins, "attention");
  ADD(presets, "gpt2-1k");
  plans("cpu", "attention/forward[b=16,h=12,s=1024,dtype=bf16] naive*");
  ADD(plugins, "attention");
  ADD(plugins, "mine");
  ADD(axes, "s=1");
  plans("cpu", "attention/forward[b=1,h=2,s=1,dtype=bf16] naive* tiled");
  fixture->benches[ATTENTION].flags = 0;
}

static void filters_and_requires(void) {
  attention();
  ADD(plugins, "mine");
  ADD(presets, "gpt2-1k");
  ADD(variants, "flash*,cudnn");
  ADD(excludes, "*@mine");
  ADD(requires, "fl*");
  plans("cuda", "attention/forward[b=16,h=12,s=1024,dtype=bf16] cudnn* flash!");
  begin();
  ADD(benches, "rows,all");
  plans("cpu",
        "softmax/rows[n=1024,t=0.5] naive; softmax/rows[n=2048,t=0.5] naive; softmax/rows[n=4096,t=0.5] naive; "
        "copy/all memcpy");
  /* A name that exists on another backend is not an error. */
  ADD(variants, "naive,flash");
  ADD(axes, "n=1");
  ADD(benches, "softmax/*");
  plans("cpu", "softmax/rows[n=1,t=0.5] naive");
}

static void baselines(void) {
  begin();
  ADD(benches, "forward,rows");
  ADD(presets, "gpt2-1k");
  ADD(variants, "flash,standard,online");
  ADD(baselines, "standard");
  cli.precision = 0.01;
  cli.case_time_s = 3;
  ASSERT_EQ_INT(build("cuda"), 0);
  ASSERT_EQ_STR(shown(), "attention/forward[b=16,h=12,s=1024,dtype=bf16] flash standard*");
  ASSERT_NEAR(plan.cases[0].precision, 0.01, 0);
  ASSERT_NEAR(plan.cases[0].case_time_s, 3, 0);
  begin();
  ADD(benches, "forward,rows");
  ADD(axes, "s=1");
  ADD(axes, "n=1");
  ADD(baselines, "standard"); /* rows has no such variant, so it uses its own baseline */
  plans("cuda",
        "attention/forward[b=1,h=2,s=1,dtype=bf16] cudnn flash standard* flash@mine tiled; "
        "softmax/rows[n=1,t=0.5] online flash*");
  attention();
  ADD(baselines, "standard");
  /* a yardstick (a row for comparison only) is never a baseline, even if named */
  fixture->variants[ATTENTION][2].flags = VARIANT_YARDSTICK;
  refused("cuda", "--baseline 'standard' matches nothing in attention/forward: cudnn, flash, standard");
  fixture->variants[ATTENTION][2].flags = 0;
  attention();
  ADD(presets, "gpt2-1k");
  ADD(excludes, "cudnn"); /* filtered out: there is no denominator, rather than another one */
  ASSERT_EQ_INT(build("cuda"), 0);
  ASSERT_TRUE(strchr(shown(), '*') == NULL);
  attention(); /* now the bench has a second baseline, "standard" */
  fixture->variants[ATTENTION][2].flags = VARIANT_BASELINE;
  ADD(presets, "gpt2-1k");
  ASSERT_EQ_INT(build("cuda"), 0);
  ASSERT_EQ_INT(plan.cases[0].variants[0].against.common, 1);
  ASSERT_EQ_INT(plan.cases[0].variants[2].against.common, 2);
  attention();
  ADD(presets, "gpt2-1k");
  ADD(excludes, "cudnn");
  ASSERT_EQ_INT(build("cuda"), 0);
  ASSERT_EQ_INT(plan.cases[0].variants[1].against.common, 1);
  fixture->variants[ATTENTION][2].flags = 0;
}

static void variants_by_name(void) {
  begin();
  fixture->variants[SOFTMAX][1].flags = VARIANT_BY_NAME;
  ADD(plugins, "softmax");
  ADD(axes, "n=1");
  plans("cuda", "softmax/rows[n=1,t=0.5] flash*");
  ADD(plugins, "softmax");
  ADD(cases, "softmax/rows[n=1,t=0.5]");
  ADD(requires, "*"); /* --require forbids skipping, but does not select */
  plans("cuda", "softmax/rows[n=1,t=0.5] flash*!");
  ADD(plugins, "softmax");
  ADD(axes, "n=1");
  ADD(variants, "*");
  plans("cuda", "softmax/rows[n=1,t=0.5] online flash*");
  ADD(plugins, "softmax");
  ADD(axes, "n=1");
  ADD(variants, "online");
  plans("cuda", "softmax/rows[n=1,t=0.5] online");
  ADD(plugins, "softmax");
  ADD(axes, "n=1");
  ADD(variants, "flash");
  plans("cuda", "softmax/rows[n=1,t=0.5] flash*");
  ADD(plugins, "softmax");
  ADD(axes, "n=1");
  ADD(baselines, "online");
  plans("cuda", "softmax/rows[n=1,t=0.5] online* flash");
  ADD(plugins, "softmax");
  ADD(axes, "n=1");
  ADD(excludes, "flash");
  refused("cuda", "nothing to run on 'cuda': the filters leave nothing of online, flash");
  fixture->variants[SOFTMAX][1].flags = 0;
}

static void keys_are_cases(void) {
  begin();
  ADD(cases, "attention/forward[b=16,h=12,s=1024,dtype=bf16]");
  ADD(variants, "flash");
  ASSERT_EQ_INT(build("cuda"), 0);
  ASSERT_EQ_STR(shown(), "attention/forward[b=16,h=12,s=1024,dtype=bf16] flash");
  ASSERT_EQ_STR(plan.cases[0].point.preset, "gpt2-1k");
  begin();
  ADD(cases, "attention/forward[preset=llama3-8b-4k,dtype=fp32]");
  ADD(cases, "forward[s=5]"); /* of any plugin */
  ADD(cases, "copy/all");
  ADD(cases, "softmax/rows[n=3,t=1e-3]");
  plans("cpu",
        "attention/forward[b=2,h=32,s=4096,dtype=fp32] naive* tiled; attention/forward[b=1,h=2,s=5,dtype=bf16] naive* "
        "tiled; softmax/rows[n=3,t=0.001] naive; copy/all memcpy");
}

static void keys_round_trip(void) {
  struct axis_desc *axis = &fixture->benches[ATTENTION].axes[3];
  SET(axis->choices, "a b,c=d,50%,[x],caf\xc3\xa9,bf16;fp8");
  SET(axis->values, "a b,c=d,50%,caf\xc3\xa9,bf16;fp8");
  attention();
  ADD(axes, "s=1");
  ASSERT_EQ_INT(build("cpu"), 0);
  ASSERT_EQ_INT(plan.count, 5);
  ASSERT_EQ_STR(plan.cases[0].key, "attention/forward[b=1,h=2,s=1,dtype=a%20b]");
  ASSERT_EQ_STR(plan.cases[1].key, "attention/forward[b=1,h=2,s=1,dtype=c%3Dd]");
  ASSERT_EQ_STR(plan.cases[2].key, "attention/forward[b=1,h=2,s=1,dtype=50%25]");
  ASSERT_EQ_STR(plan.cases[3].key, "attention/forward[b=1,h=2,s=1,dtype=caf%C3%A9]");
  char text[256];
  point_text(&plan.cases[4].point, text, sizeof text);
  ASSERT_EQ_STR(text, "b=1;h=2;s=1;dtype=bf16%3Bfp8");
  struct plan first = plan;
  plan = (struct plan){0};
  for (size_t i = 0; i < first.count; i++) {
    begin();
    ADD(cases, first.cases[i].key);
    ASSERT_EQ_INT(build("cpu"), 0);
    ASSERT_EQ_STR(plan.cases[0].key, first.cases[i].key);
    ASSERT_EQ_STR(plan.cases[0].point.values[3].str, first.cases[i].point.values[3].str);
  }
  plan_free(&first);
  SET(axis->choices, "fp32,bf16");
  SET(axis->values, "bf16");
}

static void refuses_filters(void) {
  attention();
  ADD(benches, "atention/*");
  refused("cuda", "--bench 'atention/*' matches nothing: attention/forward, softmax/rows, copy/all");
  attention();
  ADD(variants, "cudnn,flsh");
  refused("cuda", "--variant 'flsh' matches nothing (nearest 'flash') in attention/forward: cudnn, flash, standard");
  attention();
  ADD(excludes, "flsh");
  refused("cpu", "--exclude 'flsh' matches nothing in attention/forward: naive");
  attention();
  ADD(presets, "lama*");
  refused("cuda", "--preset 'lama*' matches nothing in attention/forward: gpt2-1k, llama3-8b-4k, odd");
  begin();
  ADD(plugins, "softmax");
  ADD(presets, "x");
  refused("cuda", "--preset 'x' matches nothing in softmax/rows: none");
  attention();
  ADD(requires, "naive"); /* a requirement for another backend could never fail */
  refused("cuda", "--require 'naive' matches nothing in attention/forward: cudnn, flash, standard");
  attention();
  ADD(baselines, "cudn");
  refused("cuda", "--baseline 'cudn' matches nothing (nearest 'cudnn') in attention/forward: cudnn, flash, standard");
  begin();
  ADD(benches, "forward,rows");
  ADD(variants, "x");
  refused("cpu", "--variant 'x' matches nothing in attention/forward: naive, tiled; softmax/rows: naive");
  attention();
  ADD(variants, "flash");
  ADD(excludes, "flash");
  refused("cuda", "nothing to run on 'cuda': the filters leave nothing of cudnn, flash, standard");
  ADD(benches, "forward,rows"); /* a name of both is listed once, and the intended one is suggested */
  ADD(variants, "online");
  refused("cpu", "nothing to run on 'cpu': online is not for it; what is: naive, tiled");
  attention();
  ADD(benches, "forward");
  ADD(cases, "softmax/rows[n=1]");
  refused("cuda",
          "--case 'softmax/rows[n=1]' names no bench that is loaded: attention/forward, softmax/rows, copy/all");
}

static void refuses_axes(void) {
  attention();
  ADD(axes, "dtype=fp32,bf61");
  refused("cuda", "-a dtype=bf61: attention/forward has fp32, bf16");
  attention();
  ADD(axes, "sq=1");
  refused("cuda", "-a sq=1: no such axis in attention/forward: b, h, s, dtype");
  attention();
  ADD(axes, "backward.s=1");
  refused("cuda", "-a backward.s=1: no such axis in attention/forward: b, h, s, dtype");
  begin();
  ADD(plugins, "copy");
  ADD(axes, "n=1");
  refused("cuda", "-a n=1: no such axis in copy/all: none");
  attention();
  ADD(axes, "s[log]=1");
  refused("cuda", "command line: 's[log]=1': the only suffix that an axis takes is [pow2]");
  attention();
  ADD(axes, "s=1");
  ADD(axes, "s[pow2]=2");
  refused("cuda", "-a s[pow2]=2: the axis is given twice, before as '1'");
  attention();
  ADD(axes, "s=1:9:x1");
  refused("cuda", "-a s=1:9:x1: '1:9:x1' needs a factor of at least x2");
}

static void refuses_keys(void) {
  begin();
  ADD(cases, "attention/forwrd[b=1]");
  refused("cpu",
          "--case 'attention/forwrd[b=1]' names no bench that is loaded: attention/forward, softmax/rows, copy/all");
  ADD(cases, "attention/forward[b=1");
  refused("cpu", "--case 'attention/forward[b=1' does not end in ']'");
  ADD(cases, "attention/forward[b=1]");
  refused("cpu", "--case 'attention/forward[b=1]': axis 's' is missing and has 2 default values");
  ADD(cases, "attention/forward[s=1,q=1]");
  refused("cpu", "--case 'attention/forward[s=1,q=1]': 'q' is no axis of forward, which has b, h, s, dtype");
  ADD(cases, "attention/forward[s=1,dtype=bf61]");
  refused("cpu", "--case 'attention/forward[s=1,dtype=bf61]': 'bf61' is not among fp32,bf16");
  ADD(cases, "attention/forward[s=1:2]");
  refused("cpu", "--case 'attention/forward[s=1:2]': 's=1:2' is 2 values, not one");
  ADD(cases, "attention/forward[preset=gpt]");
  refused("cpu",
          "--case 'attention/forward[preset=gpt]': attention/forward has no preset 'gpt': gpt2-1k, "
          "llama3-8b-4k, odd");
  ADD(cases, "attention/forward[preset=odd,preset=odd]");
  refused("cpu", "--case 'attention/forward[preset=odd,preset=odd]' names two presets");
  ADD(cases, "attention/forward[s=1]");
  ADD(axes, "b=2");
  refused("cpu", "command line: axis 'b=2' does not go with case 'attention/forward[s=1]': put it into the key");
  ADD(cases, "attention/forward[s=1]");
  ADD(presets, "odd");
  refused("cpu", "command line: preset 'odd' does not go with case 'attention/forward[s=1]': write BENCH[preset=NAME]");
  char key[4 * KEY_SIZE] = "attention/forward[s=";
  memset(key + strlen(key), '1', sizeof key - strlen(key) - 2);
  strcat(key, "]");
  ADD(cases, key);
  ASSERT_EQ_INT(build("cpu"), -1);
  ASSERT_HAS(error.text, "bytes, at most 1023");
  begin();
}

static void refuses_what_cannot_run(void) {
  attention();
  refused("tpu", "nothing to run on 'tpu': attention/forward has variants for cuda, cpu");
  ADD(plugins, "atention");
  refused("cpu", "command line: plugin 'atention' is not among those loaded");
  ADD(plugins, "mine");
  refused("cpu", "nothing to run: the filters leave nothing of attention/forward, softmax/rows, copy/all");
  struct catalog none = {0};
  plan_free(&plan);
  error = (struct err){0};
  ASSERT_EQ_INT(plan_build(&none, &cli, 1, "cpu", &plan, &error), -1);
  ASSERT_EQ_STR(error.text, "nothing to run: the plugins offer no bench");
}

static void refuses_guests_without_a_bench(void) {
  for (int i = 0; i < 3; i++)
    SET(fixture->variants[MINE][i].contract, "gpubench.org/attention/forward/2");
  begin();
  refused("cuda",
          "plugin 'mine' attaches to contract gpubench.org/attention/forward/2; "
          "loaded: gpubench.org/attention/forward/1 (from attention)");
  SET(fixture->variants[MINE][0].contract, "other");
  refused("cuda",
          "plugin 'mine' attaches to contract other; loaded: gpubench.org/attention/forward/1 (from attention), "
          "gpubench.org/softmax/rows/1 (from softmax), gpubench.org/copy/all/1 (from copy)");
  for (int i = 0; i < 3; i++)
    SET(fixture->variants[MINE][i].contract, "gpubench.org/attention/forward/1");
  SET(fixture->plugins[MINE].desc.id, "attention");
  refused("cuda", "two plugins are called 'attention': /opt/plugins/attention.so and /opt/plugins/mine.so");
  SET(fixture->plugins[MINE].desc.id, "mine");
}

static void bounds_the_number_of_cases(void) {
  attention();
  ADD(axes, "s=1:1000:1");
  ADD(axes, "b=1:101:1");
  refused("cpu", "attention/forward: 101 x 1 x 1000 x 1 = 101000 cases, at most 100000");
  ADD(plugins, "attention");
  ADD(axes, "s=1:1000:1");
  ADD(axes, "b=1:100:1");
  ASSERT_EQ_INT(build("cuda"), 0);
  ASSERT_EQ_INT(plan.count, 100000);
  ASSERT_EQ_STR(plan.cases[99999].key, "attention/forward[b=100,h=2,s=1000,dtype=bf16]");
  begin();
  ADD(axes, "s=1:4096:1");
  ADD(axes, "b=1:4096:1");
  ADD(axes, "h=1:4096:1");
  refused("cpu", "attention/forward: 4096 x 4096 x 4096 x 1 = 68719476736 cases, at most 100000");
  struct selection two[2];
  for (size_t i = 0; i < 2; i++) {
    selection_init(&two[i], "command line");
    strings_add(&two[i].plugins, "attention");
    strings_add(&two[i].axes, i ? "s=2000:2999" : "s=1:1000");
    strings_add(&two[i].axes, "b=1:60");
  }
  error = (struct err){0};
  ASSERT_EQ_INT(plan_build(&fixture->catalog, two, 2, "cpu", &plan, &error), -1);
  ASSERT_EQ_STR(error.text, "more than 100000 cases in all");
  selection_free(&two[0]);
  selection_free(&two[1]);
}

static struct selection section(const char *name, const char *plugin) {
  struct selection s;
  selection_init(&s, name);
  if (plugin != NULL) strings_add(&s.plugins, plugin);
  return s;
}

static int build_sections(struct selection *sections, size_t count, const char *backend) {
  plan_free(&plan);
  error = (struct err){0};
  for (size_t i = 0; i < count; i++)
    selection_override(&sections[i], &cli);
  int failed = plan_build(&fixture->catalog, sections, count, backend, &plan, &error);
  for (size_t i = 0; i < count; i++)
    selection_free(&sections[i]);
  return failed;
}

static void merges_equal_keys(void) {
  struct selection s[2] = {section("a.ini [x]", "attention"), section("a.ini [y]", "attention")};
  begin();
  for (size_t i = 0; i < 2; i++)
    strings_add(&s[i].presets, "gpt2-1k");
  strings_add(&s[0].variants, "standard");
  strings_add(&s[0].requires, "standard");
  strings_add(&s[1].variants, "cudnn,standard");
  s[0].precision = 0.02;
  s[1].precision = 0.01;
  s[1].case_time_s = 4;
  ASSERT_EQ_INT(build_sections(s, 2, "cuda"), 0);
  ASSERT_EQ_STR(shown(), "attention/forward[b=16,h=12,s=1024,dtype=bf16] cudnn* standard!");
  ASSERT_NEAR(plan.cases[0].precision, 0.01, 0);
  ASSERT_NEAR(plan.cases[0].case_time_s, 4, 0);
}

/* Merges two sections with the same case, of which one gives these values. */
static void merge_with_none(double precision, double case_time_s, bool quick) {
  struct selection s[2] = {section("a.ini [x]", "attention"), section("a.ini [y]", "attention")};
  begin();
  for (size_t i = 0; i < 2; i++)
    strings_add(&s[i].presets, "gpt2-1k");
  s[precision < 0.01].precision = precision; /* whichever comes first */
  s[precision < 0.01].case_time_s = case_time_s;
  cli.quick = quick;
  ASSERT_EQ_INT(build_sections(s, 2, "cuda"), 0);
  cli.quick = false;
}

static void what_a_section_does_not_give_is_what_is_usual(void) {
  merge_with_none(0.05, 1, false); /* the other section uses the defaults, 0.5% and three seconds */
  ASSERT_TRUE(isnan(plan.cases[0].precision) && isnan(plan.cases[0].case_time_s));
  merge_with_none(0.006, 1, false);
  ASSERT_TRUE(isnan(plan.cases[0].precision) && isnan(plan.cases[0].case_time_s));
  merge_with_none(0.001, 4, false);
  ASSERT_NEAR(plan.cases[0].precision, 0.001, 0);
  ASSERT_NEAR(plan.cases[0].case_time_s, 4, 0);
  merge_with_none(0.02, 1, true); /* with --quick the defaults are 5% and 0.2 s */
  ASSERT_NEAR(plan.cases[0].precision, 0.02, 0);
  ASSERT_NEAR(plan.cases[0].case_time_s, 1, 0);
}

static void the_command_line_narrows_a_suite(void) {
  struct selection s[2] = {section("a.ini [x]", "attention"), section("a.ini [y]", "softmax")};
  begin();
  strings_add(&s[0].axes, "s=5,6");
  strings_add(&s[1].axes, "n=7");
  ADD(axes, "s=9");
  ADD(plugins, "mine"); /* its guests join sections that do not name the plugin */
  ASSERT_EQ_INT(build_sections(s, 2, "cuda"), 0);
  ASSERT_EQ_STR(shown(),
                "attention/forward[b=1,h=2,s=9,dtype=bf16] cudnn* flash standard flash@mine tiled; "
                "softmax/rows[n=7,t=0.5] online flash*");
  struct selection t[2] = {section("a.ini [x]", "attention"), section("a.ini [y]", "softmax")};
  begin();
  ADD(benches, "rows");
  ADD(variants, "online");
  strings_add(&t[0].variants, "flash");
  strings_add(&t[1].axes, "n=7");
  ASSERT_EQ_INT(build_sections(t, 2, "cuda"), 0);
  ASSERT_EQ_STR(shown(), "softmax/rows[n=7,t=0.5] online");
  struct selection u[2] = {section("a.ini [x]", "attention"), section("a.ini [y]", "softmax")};
  begin();
  strings_add(&u[0].cases, "attention/forward[preset=gpt2-1k]");
  strings_add(&u[0].cases, "attention/forward[preset=odd]");
  strings_add(&u[1].axes, "n=7");
  ADD(presets, "gpt*"); /* selects keys by their label */
  ASSERT_EQ_INT(build_sections(u, 1, "cuda"), 0);
  ASSERT_EQ_STR(shown(), "attention/forward[b=16,h=12,s=1024,dtype=bf16] cudnn* flash standard");
  selection_free(&u[1]);
  struct selection v[2] = {section("a.ini [x]", "attention"), section("a.ini [y]", "softmax")};
  begin();
  strings_add(&v[0].axes, "s=5");
  strings_add(&v[1].axes, "n=7");
  ADD(cases, "softmax/rows[n=9]");
  ASSERT_EQ_INT(build_sections(v, 2, "cuda"), 0);
  ASSERT_EQ_STR(shown(), "softmax/rows[n=9,t=0.5] online flash*");
  begin();
}

static void section_refused(struct selection s, const char *message) {
  ASSERT_EQ_INT(build_sections(&s, 1, "cuda"), -1);
  ASSERT_EQ_INT(error.exit_code, 2);
  ASSERT_EQ_STR(error.text, message);
}

static void a_suite_is_named_in_messages(void) {
  begin();
  struct selection s = section("a.ini [x]", "softmax");
  strings_add(&s.variants, "flsh");
  section_refused(s, "a.ini [x]: variant 'flsh' matches nothing (nearest 'flash') in softmax/rows: online, flash");
  s = section("a.ini [x]", "attention");
  strings_add(&s.axes, "dtype=bf61");
  section_refused(s, "a.ini [x]: axis.dtype=bf61: attention/forward has fp32, bf16");
  s = section("a.ini [x]", "softmax");
  ADD(baselines, "zz"); /* named as an option, also when applied to a suite */
  section_refused(s, "--baseline 'zz' matches nothing in softmax/rows: online, flash");
  begin();
  s = section("a.ini [x]", "attention");
  strings_add(&s.cases, "attention/forward[preset=odd]");
  ADD(axes, "b=1");
  section_refused(
      s, "command line: axis 'b=1' does not go with case 'attention/forward[preset=odd]': put it into the key");
  begin();
}

static void yardsticks(void) {
  attention();
  ADD(presets, "odd");
  ASSERT_EQ_INT(build("cuda"), 0);
  ASSERT_EQ_INT(plan_add_yardstick(&fixture->catalog, "gpubench.org/softmax/rows/1", "cuda", &plan, &error), 0);
  ASSERT_EQ_INT(plan_add_yardstick(&fixture->catalog, "gpubench.org/none/1", "cuda", &plan, &error), 0);
  ASSERT_EQ_INT(plan.count, 2);
  ASSERT_EQ_STR(plan.cases[1].key, "softmax/rows[n=1024,t=0.5]");
  ASSERT_TRUE(plan.cases[1].yardstick && !plan.cases[0].yardstick);
  ASSERT_EQ_INT(plan.cases[1].variant_count, 2);
  /* The first preset of the backend is planned, without guests; a case that is already planned is not repeated. */
  ASSERT_EQ_INT(plan_add_yardstick(&fixture->catalog, "gpubench.org/attention/forward/1", "cuda", &plan, &error), 0);
  ASSERT_EQ_STR(plan.cases[2].key, "attention/forward[b=16,h=12,s=1024,dtype=bf16]");
  ASSERT_EQ_INT(plan.cases[2].variant_count, 3);
  ASSERT_EQ_INT(plan_add_yardstick(&fixture->catalog, "gpubench.org/softmax/rows/1", "cuda", &plan, &error), 0);
  ASSERT_EQ_INT(plan_add_yardstick(&fixture->catalog, "gpubench.org/softmax/rows/1", "tpu", &plan, &error), 0);
  ASSERT_EQ_INT(plan.count, 3);
}

static void long_keys_are_refused(void) {
  struct point point = {.count = AXES_MAX};
  char key[KEY_SIZE];
  for (uint32_t i = 0; i < AXES_MAX; i++) {
    memset(point.values[i].name, 'n', ID_SIZE - 1);
    memset(point.values[i].str, ' ', ID_SIZE - 1);
  }
  ASSERT_TRUE(!case_key("a/b", &point, key, sizeof key));
  point.count = 3;
  ASSERT_TRUE(case_key("a/b", &point, key, sizeof key));
  ASSERT_EQ_INT(strlen(key), 3 + 2 + 3 * 63 + 3 * 3 * 63 + 3 + 2);
  for (size_t size = 4; size <= strlen(key); size++)
    ASSERT_TRUE(!case_key("a/b", &point, (char[KEY_SIZE]){0}, size));
}

/* ---- Builds of one plugin ---- */

static struct catalog_plugin builds[4];
static struct bench_desc other_bench;

/* Loads attention twice, under these labels, then the plugin with guests (variants for attention), and softmax. */
static void labelled(const char *first, const char *second) {
  attention();
  ADD(axes, "s=1");
  other_bench = fixture->benches[ATTENTION];
  builds[0] = builds[1] = fixture->plugins[ATTENTION];
  builds[1].benches = &other_bench;
  builds[2] = fixture->plugins[MINE];
  builds[3] = fixture->plugins[SOFTMAX];
  SET(builds[0].label, first);
  SET(builds[1].label, second);
  SET(builds[1].path, "/opt/other/attention.so");
  fixture->catalog = (struct catalog){builds, 4};
  strings_free(&cli.plugins);
}

#define AT_ONE "attention/forward[b=1,h=2,s=1,dtype=bf16]"

static void builds_are_compared_variant_by_variant(void) {
  labelled("old", "new");
  ADD(plugins, "old=/opt/plugins/attention.so");
  ADD(plugins, "new=/opt/other/attention.so");
  plans("cuda", AT_ONE
        " cudnn@old~cudnn@old cudnn@new~cudnn@old flash@old~flash@old flash@new~flash@old "
        "standard@old~standard@old standard@new~standard@old");
  labelled("old", "new"); /* guests have no twin; their denominator is the baseline of the first build */
  ADD(benches, "forward");
  ADD(variants, "flash*,tiled,cudnn@old");
  plans("cuda", AT_ONE " cudnn@old* flash@old~flash@old flash@new~flash@old flash@mine tiled");
  labelled("old", "new"); /* one build alone behaves as without labels */
  ADD(plugins, "new=/opt/other/attention.so");
  ADD(variants, "*@new");
  plans("cuda", AT_ONE " cudnn@new* flash@new standard@new");
  labelled("old", "new");
  ADD(plugins, "old=/opt/plugins/attention.so");
  ADD(plugins, "new=/opt/other/attention.so");
  ADD(variants, "flash@new,standard@old");
  plans("cuda", AT_ONE " flash@new standard@old");
}

/* A name without a label means that variant of all builds. */
static void names_without_labels_are_of_all_builds(void) {
  labelled("old", "new");
  ADD(benches, "forward");
  ADD(variants, "flash,cudnn@new");
  plans("cuda", AT_ONE " cudnn@new flash@old~flash@old flash@new~flash@old"); /* a guest has no label */
  labelled("old", "new");
  ADD(benches, "forward");
  ADD(variants, "flash,standard");
  ADD(excludes, "flash@mine,standard");
  ADD(requires, "flash");
  plans("cuda", AT_ONE " flash@old~flash@old! flash@new~flash@old!");
  labelled("old", "new");
  ADD(benches, "forward");
  ADD(variants, "standard");
  ADD(baselines, "standard");
  plans("cuda", AT_ONE " standard@old* standard@new*");
  labelled("old", "new");
  ADD(variants, "flash@nev");
  refused("cuda",
          "--variant 'flash@nev' matches nothing (nearest 'flash@new') in attention/forward: cudnn@old, cudnn@new, "
          "flash@old, flash@new, standard@old, standard@new, flash@mine, tiled; softmax/rows: online, flash");
}

static void baselines_are_named_over_builds(void) {
  labelled("old", "new");
  ADD(benches, "forward");
  ADD(variants, "*@*");
  ADD(excludes, "flash@mine,cudnn@*");
  ADD(baselines, "flash@old");
  plans("cuda", AT_ONE " flash@old* flash@new standard@old standard@new");
  fixture->catalog = (struct catalog){fixture->plugins, PLUGIN_COUNT};
  attention();
  ADD(axes, "s=1");
  ADD(baselines, "flash, standard");
  plans("cuda", AT_ONE " cudnn flash* standard*");
  attention();
  ADD(axes, "s=1");
  ADD(baselines, "flash");
  ADD(baselines, "s*");
  plans("cuda", AT_ONE " cudnn flash* standard*");
  attention();
  ADD(baselines, "flash,flush");
  refused("cuda", "--baseline 'flush' matches nothing (nearest 'flash') in attention/forward: cudnn, flash, standard");
}

/* A variant that one of the builds lacks is compared with the baseline of all variants. */
static void builds_need_not_have_the_same_variants(void) {
  static struct variant_desc more[8];
  labelled("old", "new");
  memcpy(more, fixture->variants[ATTENTION], sizeof more);
  SET(more[1].name, "flash3");
  builds[1].variants = more;
  ADD(benches, "forward");
  ADD(excludes, "*mine,tiled");
  plans("cuda", AT_ONE
        " cudnn@old~cudnn@old cudnn@new~cudnn@old flash@old standard@old~standard@old "
        "standard@new~standard@old flash3@new");
}

static void refuses_builds(void) {
  labelled("old", "new");
  SET(other_bench.contract, "gpubench.org/attention/forward/2");
  fixture->variants[ATTENTION][0].bench = 0;
  refused("cuda",
          "attention/forward: builds of one problem are compared, but the contract of 'old' "
          "(/opt/plugins/attention.so) is gpubench.org/attention/forward/1, of 'new' (/opt/other/attention.so) "
          "gpubench.org/attention/forward/2");
  labelled("old", "new"); /* another bench can still be run */
  SET(other_bench.contract, "gpubench.org/attention/forward/2");
  ADD(benches, "rows");
  strings_free(&cli.axes);
  ADD(axes, "n=1");
  plans("cuda", "softmax/rows[n=1,t=0.5] online flash*");
  labelled("old", "new");
  SET(other_bench.axes[1].name, "heads");
  refused("cuda",
          "attention/forward: builds of one problem are compared, but the list of axes of 'old' "
          "(/opt/plugins/attention.so) is b, h, s, dtype, of 'new' (/opt/other/attention.so) b, heads, s, dtype");
  labelled("old", "mine"); /* guests' variants already have this suffix */
  refused("cuda",
          "attention/forward: variants of /opt/other/attention.so and of /opt/plugins/mine.so are both shown as "
          "'flash@mine': choose another label");
  labelled("old", "old");
  refused("cuda", "two plugins are called 'attention': /opt/plugins/attention.so and /opt/other/attention.so");
  labelled("old", "");
  refused("cuda", "two plugins are called 'attention': /opt/plugins/attention.so and /opt/other/attention.so");
  labelled("old", "new");
  ADD(plugins, "newer=/opt/other/attention.so");
  refused("cuda", "command line: plugin 'newer=/opt/other/attention.so' is not among those loaded");
}

/* Two sections of a suite contribute variants to the same case. Twins (the same variant in two builds) must be found
 * again in the merged case. */
static void sections_with_builds_merge(void) {
  struct selection sections[2];
  struct plan merged = {0};
  struct err none = {0};
  labelled("old", "new");
  for (size_t i = 0; i < 2; i++) {
    selection_init(&sections[i], "suite");
    strings_add(&sections[i].benches, "forward");
    strings_add(&sections[i].axes, "s=1");
    strings_add(&sections[i].variants, i == 0 ? "standard@new" : "standard@old,flash@*");
    strings_add(&sections[i].excludes, "flash@mine");
  }
  ASSERT_EQ_INT(plan_build(&fixture->catalog, sections, 2, "cuda", &merged, &none), 0);
  plan_free(&plan);
  plan = merged;
  ASSERT_EQ_STR(shown(), AT_ONE
                " flash@old~flash@old flash@new~flash@old standard@old~standard@old "
                "standard@new~standard@old");
  for (size_t i = 0; i < 2; i++)
    selection_free(&sections[i]);
  begin();
}

static void done(void) {
  selection_free(&cli);
  plan_free(&plan);
  free(fixture);
  ASSERT_TRUE(plan.cases == NULL);
}

UNIT_MAIN("plan", UNIT_TEST(default_presets_are_the_default), UNIT_TEST(without_presets_the_product),
          UNIT_TEST(axes_override), UNIT_TEST(presets_by_name), UNIT_TEST(variants_by_name), UNIT_TEST(axes_are_scoped),
          UNIT_TEST(guests_join), UNIT_TEST(benches_by_name_run_beside_a_guest), UNIT_TEST(benches_by_name_wait_for_it),
          UNIT_TEST(filters_and_requires), UNIT_TEST(baselines), UNIT_TEST(keys_are_cases), UNIT_TEST(keys_round_trip),
          UNIT_TEST(refuses_filters), UNIT_TEST(refuses_axes), UNIT_TEST(refuses_keys),
          UNIT_TEST(refuses_what_cannot_run), UNIT_TEST(refuses_guests_without_a_bench),
          UNIT_TEST(bounds_the_number_of_cases), UNIT_TEST(merges_equal_keys),
          UNIT_TEST(what_a_section_does_not_give_is_what_is_usual), UNIT_TEST(the_command_line_narrows_a_suite),
          UNIT_TEST(a_suite_is_named_in_messages), UNIT_TEST(yardsticks), UNIT_TEST(long_keys_are_refused),
          UNIT_TEST(builds_are_compared_variant_by_variant), UNIT_TEST(names_without_labels_are_of_all_builds),
          UNIT_TEST(baselines_are_named_over_builds), UNIT_TEST(builds_need_not_have_the_same_variants),
          UNIT_TEST(refuses_builds), UNIT_TEST(sections_with_builds_merge), UNIT_TEST(done))
