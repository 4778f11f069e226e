/* Hostile texts in every place where a plugin may pass a text: markup, quotes, separators, line breaks, formulas, and
 * terminal escapes. All of them are legal. gpubench must show them as plain text in the terminal, CSV, INI, HTML and
 * JSON. */
#include "simple.h"

#define MARKUP "<script>alert(1)</script>"
#define MIXTURE "=1+1,\"two\";'three'\n[section]\nkey = value\r\n\x1b[31mred\x1b]0;title\x07 & &amp; \\N %s %00 " MARKUP

static gb_status hostile_setup(const gb_bench *self, gb_case *c, void **state) {
  const gb_work work = {GB_SIZE(gb_work), .items = SIMPLE_N, .item_unit = "=1\n\x1b[31m\"';&\\N %s " MARKUP};
  gb.host->log(gb.host, GB_LOG_WARNING, MIXTURE);
  gb_status status = simple_setup(self, c, state);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

static gb_status hostile_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return gb.host->fail(gb.host, c, GB_SKIP, MIXTURE);
}

static gb_status hostile_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)vstate;
  return gb.host->fail(gb.host, c, GB_EFAIL, "=cmd|' /C calc'!A0 " MIXTURE);
}

static const gb_axis axis = {GB_SIZE(gb_axis),
                             .type = GB_STR,
                             .name = "kind",
                             .unit = "\"><blink>",
                             .summary = MIXTURE,
                             .choices = MARKUP ",=1+1,\"two\",a;b,it's,x&y,100%",
                             .values = MARKUP ",=1+1,\"two\",a;b,it's,x&y,100%"};

static const gb_variant good = SIMPLE_BASELINE("good");
static const gb_variant other = {GB_SIZE(gb_variant), .name = "other", .summary = MIXTURE,
                                 .backend = "cpu",    .math = "fp32",  .run = simple_run};
static const gb_variant skips = {GB_SIZE(gb_variant), .name = "skips", .summary = MARKUP,
                                 .backend = "cpu",    .math = "fp32",  .supports = hostile_supports,
                                 .run = simple_run};
static const gb_variant fails = {GB_SIZE(gb_variant), .name = "fails", .backend = "cpu", .math = "fp32",
                                 .run = hostile_run};

static const gb_bench bench = {GB_SIZE(gb_bench),
                               .name = "text",
                               .contract = "gpubench.org/test/hostile/1",
                               .summary = MIXTURE,
                               .axes = (const gb_axis *const[]){&axis, NULL},
                               .variants = (const gb_variant *const[]){&good, &other, &skips, &fails, NULL},
                               .setup = hostile_setup,
                               .reference = simple_reference};

static gb_status hostile_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD,   .id = "hostile",    .version = "1.0" MARKUP,
                                .build = MIXTURE, .summary = MIXTURE, .open = hostile_open};
