/* Tests what a plugin may register while it is opened. After one refusal all later calls are refused with the same
 * message. */
#include "plugin/registry.h"

#include <gpubench/sugar.h>
#include <stdlib.h>

#include "base/memory.h"
#include "unit.h"

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)c, (void)state;
  return GB_OK;
}

static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)c, (void)state;
  return GB_OK;
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c, (void)vstate;
  return GB_OK;
}

#define VARIANT(label, on, flag) \
  { GB_SIZE(gb_variant), .flags = flag, .name = label, .backend = on, .math = "fp32", .run = run }
#define BENCH(label, id, ...)                                                                 \
  {                                                                                           \
    GB_SIZE(gb_bench), .name = label, .contract = id, .setup = setup, .reference = reference, \
                       .variants = (const gb_variant *const[]) {                              \
      __VA_ARGS__, NULL                                                                       \
    }                                                                                         \
  }

static const gb_variant plain = VARIANT("plain", "cpu", GB_VARIANT_BASELINE);
static const gb_variant plain_cuda = VARIANT("plain", "cuda", GB_VARIANT_BASELINE);
static const gb_variant fast = VARIANT("fast", "cpu", 0);
static const gb_variant second = VARIANT("second", "cpu", GB_VARIANT_BASELINE);
static const gb_bench scale = BENCH("scale", "test/scale/1", &plain, &fast, &plain_cuda);
static const gb_bench other = BENCH("other", "test/other/1", &plain);
static const gb_variant mute = {GB_SIZE(gb_variant), .name = "mute", .backend = "cpu", .math = "fp32"};
static const gb_bench same_name = BENCH("scale", "test/scale/2", &plain);
static const gb_bench same_contract = BENCH("scale2", "test/scale/1", &plain);
static const gb_bench twins = BENCH("twins", "test/twins/1", &fast, &plain, &fast);
static const gb_bench both = BENCH("both", "test/both/1", &plain, &plain);
static const gb_bench bad = {GB_SIZE(gb_bench), .name = "bad", .contract = "test/bad/1"};
static const gb_bench newer = {GB_SIZE(gb_bench),
                               .flags = 0x40,
                               .name = "newer",
                               .contract = "test/newer/1",
                               .setup = setup,
                               .reference = reference,
                               .variants = (const gb_variant *const[]){&plain, NULL}};
static const gb_bench holder = BENCH("holder", "test/holder/1", &plain, &mute);

static gb_registry registry;

static void begin(void) {
  plugin_free(registry.plugin);
  registry = (gb_registry){.plugin = xcalloc(1, sizeof(struct plugin))};
}

static void refused(gb_status status, const char *message) {
  ASSERT_EQ_INT(status, GB_EINVAL);
  ASSERT_EQ_STR(registry.err.text, message);
  ASSERT_EQ_INT(registry.err.exit_code, EXIT_FAILED);
}

static void keeps_order_and_owners(void) {
  begin();
  ASSERT_EQ_INT(register_bench(NULL, &registry, &scale), GB_OK);
  ASSERT_EQ_INT(register_bench(NULL, &registry, &other), GB_OK);
  ASSERT_EQ_INT(register_guest(NULL, &registry, "test/far/1", &fast), GB_OK);
  const struct plugin *plugin = registry.plugin;
  static const struct {
    const char *name, *backend, *contract;
    int bench;
  } rows[] = {{"plain", "cpu", "test/scale/1", 0},
              {"fast", "cpu", "test/scale/1", 0},
              {"plain", "cuda", "test/scale/1", 0},
              {"plain", "cpu", "test/other/1", 1},
              {"fast", "cpu", "test/far/1", -1}};
  ASSERT_EQ_INT(plugin->bench_count, 2);
  ASSERT_EQ_INT(plugin->variant_count, 5);
  for (size_t i = 0; i < 5 && i < plugin->variant_count; i++) {
    ASSERT_EQ_STR(plugin->variants[i]->desc.name, rows[i].name);
    ASSERT_EQ_STR(plugin->variants[i]->desc.backend, rows[i].backend);
    ASSERT_EQ_STR(plugin->variants[i]->desc.contract, rows[i].contract);
    ASSERT_EQ_INT(plugin->variants[i]->desc.bench, rows[i].bench);
    ASSERT_TRUE(plugin->variants[i]->plugin == plugin);
  }
  ASSERT_TRUE(plugin->variants[0]->theirs == &plain && plugin->benches[1]->theirs == &other);
  ASSERT_EQ_INT(registry.err.exit_code, 0);
}

static void refuses_null(void) {
  begin();
  refused(register_bench(NULL, &registry, NULL), "add: bench is NULL");
  begin();
  refused(register_guest(NULL, &registry, "test/x/1", NULL), "attach: variant is NULL");
  begin();
  refused(register_guest(NULL, &registry, NULL, &fast), "contract is empty");
}

static void refuses_duplicate_benches(void) {
  begin();
  ASSERT_EQ_INT(register_bench(NULL, &registry, &scale), GB_OK);
  refused(register_bench(NULL, &registry, &same_name), "two benches are named 'scale'");
  begin();
  ASSERT_EQ_INT(register_bench(NULL, &registry, &scale), GB_OK);
  refused(register_bench(NULL, &registry, &same_contract), "two benches have the contract 'test/scale/1'");
}

static void refuses_duplicate_variants(void) {
  begin();
  refused(register_bench(NULL, &registry, &twins), "bench 'twins': two variants are named 'fast'");
  begin(); /* lists the same variant twice: the message names the variant */
  refused(register_bench(NULL, &registry, &both), "bench 'both': two variants are named 'plain'");
}

static void guests_join_any_contract(void) {
  /* a guest may come before the bench of its contract; it has the flag of a baseline, although a guest cannot be one */
  begin();
  ASSERT_EQ_INT(register_guest(NULL, &registry, "test/scale/1", &second), GB_OK);
  ASSERT_EQ_INT(register_guest(NULL, &registry, "test/other/1", &second), GB_OK);
  ASSERT_EQ_INT(register_bench(NULL, &registry, &scale), GB_OK);
  refused(register_guest(NULL, &registry, "test/other/1", &second), "two variants are named 'second'");
}

static void the_first_refusal_holds(void) {
  begin();
  refused(register_bench(NULL, &registry, &bad), "bench 'bad': setup is NULL");
  size_t benches = registry.plugin->bench_count;
  refused(register_bench(NULL, &registry, &scale), "bench 'bad': setup is NULL");
  refused(register_guest(NULL, &registry, "test/scale/1", &fast), "bench 'bad': setup is NULL");
  refused(register_bench(NULL, &registry, NULL), "bench 'bad': setup is NULL");
  ASSERT_EQ_INT(registry.plugin->bench_count, benches);
  ASSERT_EQ_INT(registry.plugin->variant_count, 0);
}

/* The limit is checked before memory is allocated. */
static void there_are_caps(void) {
  char name[16], contract[16];
  begin();
  for (int i = 0; i < 256; i++) {
    gb_bench bench = scale;
    snprintf(name, sizeof name, "n%d", i);
    snprintf(contract, sizeof contract, "test/n/%d", i + 1);
    bench.name = name;
    bench.contract = contract;
    bench.variants = NULL;
    ASSERT_EQ_INT(register_bench(NULL, &registry, &bench), GB_OK);
  }
  refused(register_bench(NULL, &registry, &scale), "more than 256 benches");
  begin();
  for (int i = 0; i < 4096; i++) {
    gb_variant variant = fast;
    snprintf(name, sizeof name, "n%d", i);
    variant.name = name;
    ASSERT_EQ_INT(register_guest(NULL, &registry, "test/far/1", &variant), GB_OK);
  }
  refused(register_guest(NULL, &registry, "test/far/1", &fast), "more than 4096 variants");
}

static void a_bench_of_a_later_host_is_left_out(void) {
  begin();
  ASSERT_EQ_INT(register_bench(NULL, &registry, &newer), GB_OK);
  ASSERT_EQ_INT(registry.plugin->bench_count, 0);
  ASSERT_EQ_INT(register_bench(NULL, &registry, &scale), GB_OK);
  ASSERT_EQ_INT(register_guest(NULL, &registry, "test/far/1", &fast), GB_OK);
  const struct plugin *plugin = registry.plugin;
  ASSERT_EQ_INT(plugin->bench_count, 1);
  ASSERT_EQ_STR(plugin->benches[0]->desc.name, "scale");
  ASSERT_EQ_INT(plugin->variant_count, 4);
  ASSERT_EQ_INT(plugin->variants[0]->desc.bench, 0);
  ASSERT_EQ_INT(plugin->desc.left_out_count, 1);
  ASSERT_EQ_INT(plugin->desc.left_out_bench, 1);
  ASSERT_EQ_STR(plugin->desc.left_out, "bench 'newer': flag 0x40 is unknown to this host");
}

static void guests_name_a_contract(void) {
  begin();
  refused(register_guest(NULL, &registry, "test/far", &fast),
          "contract 'test/far' is no DOMAIN/PATH/N, such as example.org/mine/axpy/1: it has 2 parts, at least 3");
}

static void bad_variants_name_their_bench(void) {
  begin();
  refused(register_bench(NULL, &registry, &holder), "bench 'holder': variant 'mute': run is NULL");
  begin();
  refused(register_guest(NULL, &registry, "test/holder/1", &mute), "variant 'mute': run is NULL");
  plugin_free(registry.plugin);
  registry.plugin = NULL;
}

UNIT_MAIN("register", UNIT_TEST(keeps_order_and_owners), UNIT_TEST(refuses_null), UNIT_TEST(refuses_duplicate_benches),
          UNIT_TEST(refuses_duplicate_variants), UNIT_TEST(guests_join_any_contract),
          UNIT_TEST(the_first_refusal_holds), UNIT_TEST(there_are_caps), UNIT_TEST(a_bench_of_a_later_host_is_left_out),
          UNIT_TEST(guests_name_a_contract), UNIT_TEST(bad_variants_name_their_bench))
