/* Variants that are right but whose calls differ from each other, for tests of how gpubench measures calls and of how
 * it detects results that are reused.
 *
 *   steady    the same every time
 *   leak      keeps 4 KB of memory in every call
 *   pool      allocates 64 MB in its first call and keeps them
 *   memoise   copies kept results if it knows the inputs, otherwise it computes for a while
 *   sync      declares that it returns when its work is done
 *   uncapturable  declares that its calls cannot be captured into a graph */
#include <stdlib.h>
#include <string.h>

#include "simple.h"

enum { KEPT_BYTES = 4096, POOL_BYTES = 64 << 20, PASSES = 40 };

/* Does so much work that a call takes microseconds. */
static void work(gb_case *c) {
  for (volatile int pass = 0; pass < PASSES; pass++)
    simple_do(c, 0, SIMPLE_N);
}

static gb_status steady(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  work(c);
  return GB_OK;
}

static gb_status leak(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  static char *volatile last;
  work(c);
  last = malloc(KEPT_BYTES);
  memset(last, 1, KEPT_BYTES);
  return GB_OK;
}

static gb_status pool(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  static char *kept;
  work(c);
  if (kept == NULL) kept = memset(malloc(POOL_BYTES), 1, POOL_BYTES);
  return GB_OK;
}

static gb_status memoise(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  static float seen[SIMPLE_N], known[SIMPLE_N];
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  if (memcmp(seen, x, sizeof seen) != 0) {
    for (int i = 0; i < 10;
         i++) /* so much work that the time saved exceeds what branch prediction can save, even on a busy machine */
      work(c);
    memcpy(seen, x, sizeof seen);
    memcpy(known, y, sizeof known);
  }
  memcpy(y, known, sizeof known);
  return GB_OK;
}

#define CALL(label, function, bits)                                                                      \
  &(const gb_variant) {                                                                                  \
    GB_SIZE(gb_variant), .flags = bits, .name = label, .backend = "cpu", .math = "fp32", .run = function \
  }

static const gb_bench bench = {
    GB_SIZE(gb_bench),
    .name = "call",
    .contract = "gpubench.org/test/call/1",
    .variants = (const gb_variant *const[]){CALL("steady", steady, GB_VARIANT_BASELINE), CALL("leak", leak, 0),
                                            CALL("pool", pool, 0), CALL("memoise", memoise, 0),
                                            CALL("sync", steady, GB_VARIANT_SYNC),
                                            CALL("uncapturable", steady, GB_VARIANT_NO_CAPTURE), NULL},
    .setup = simple_setup,
    .reference = simple_reference,
};

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "call", .version = "1", .open = open};
