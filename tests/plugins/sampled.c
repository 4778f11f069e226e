/* Two benches of y = 2 x whose reference gives the expected values of only 1024 elements. The bench `drawn` chooses
 * these elements at random after the outputs were written. The bench `seeded` derives them from the seed of the inputs,
 * as an earlier version of gb_sampled() did. Variants know this seed and could compute only these elements. If built
 * with GUEST, this file is another plugin instead, which adds a variant to both benches. */
#include "simple.h"

enum { STATED = 1024 };

static gb_status state_some(gb_case *c, uint64_t number) {
  gb_status status = GB_OK;
  for (uint64_t i = 0; i < STATED && status == GB_OK; i++) {
    const uint64_t share = SIMPLE_N / STATED, at = i * share + gb.rng->below(number, 1, i, share);
    double value;
    status = gb.tensor->input(c, "x", at, 1, &value);
    value *= 2;
    if (status == GB_OK) status = gb.tensor->expect(c, "y", at, 1, &value);
  }
  return status;
}

static inline gb_status drawn_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  return state_some(c, gb.point->places(c));
}

static inline gb_status seeded_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  return state_some(c, gb.point->seed(c));
}

#ifdef GUEST
static const gb_variant quick = SIMPLE_VARIANT("quick", simple_run);

static gb_status sampled_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->attach(host, registry, "gpubench.org/test/drawn/1", &quick);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/test/seeded/1", &quick) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "sampled_guest", .version = "1.0.0", .open = sampled_open};
#else
static const gb_variant plain = SIMPLE_BASELINE("plain"), own = SIMPLE_VARIANT("own", simple_run);
static const gb_variant *const variants[] = {&plain, &own, NULL};

static gb_status sampled_open(const gb_host *host, gb_registry *registry, void **self) {
  static gb_bench drawn = SIMPLE_BENCH("drawn", variants), seeded = SIMPLE_BENCH("seeded", variants);
  (void)self;
  drawn.reference = drawn_reference;
  seeded.reference = seeded_reference;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, &drawn);
  return status == GB_OK ? host->add(host, registry, &seeded) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "sampled", .version = "1.0.0", .open = sampled_open};
#endif
