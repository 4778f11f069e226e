/* CUDA variants that fault on the device, between good ones. */
#include "bad_cuda.h"

#include "simple.h"

static gb_status run_fault(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const enum fault *fault = self->user;
  int rc = bad_cuda_launch(*fault, gb.tensor->data(c, "x"), gb.tensor->data(c, "y"), SIMPLE_N, gb.cuda->stream(c));
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: cudaError %d", rc);
}

#define VARIANT(label, kind, bits)                                                                      \
  {                                                                                                     \
    GB_SIZE(gb_variant), .name = label, .backend = "cuda", .math = "fp32", .user = &(enum fault){kind}, \
                         .run = run_fault, .flags = bits                                                \
  }

static const gb_variant good = VARIANT("good", FAULT_NONE, GB_VARIANT_BASELINE);
static const gb_variant null = VARIANT("null", FAULT_NULL, 0);
static const gb_variant misaligned = VARIANT("misaligned", FAULT_MISALIGNED, 0);
static const gb_variant trap = VARIANT("trap", FAULT_TRAP, 0);
static const gb_variant beyond = VARIANT("beyond", FAULT_BEYOND, 0);
static const gb_variant race = VARIANT("race", FAULT_RACE, 0);
static const gb_variant sync = VARIANT("sync", FAULT_SYNC, 0);
static const gb_variant hang = VARIANT("hang", FAULT_HANG, 0);
static const gb_variant other = VARIANT("other", FAULT_NONE, 0);
static const gb_variant *const variants[] = {&good, &null, &misaligned, &trap,  &beyond,
                                             &race, &sync, &hang,       &other, NULL};
static const gb_bench bench = SIMPLE_BENCH("device", variants);

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "badcuda", .version = "1.0.0", .open = open};
