/* Variants that fail on a GPU, each in one way, together with a baseline and another variant that are right. */
#include <stdlib.h>

#include "bad_cuda.h"
#include "simple.h"

struct kind {
  const char *name;
  enum fault fault;
};

static const struct kind kinds[] = {
    {"good", FAULT_NONE},
    {"null", FAULT_NULL},
    {"wild", FAULT_WILD},
    {"misaligned", FAULT_MISALIGNED},
    {"trap", FAULT_TRAP},
    {"assert", FAULT_ASSERT},
    {"stack", FAULT_STACK},
    {"hang", FAULT_HANG},
    {"race", FAULT_RACE},
    {"beyond", FAULT_BEYOND},
    {"far-beyond", FAULT_FAR_BEYOND},
    {"input", FAULT_INPUT},
    {"nan", FAULT_NAN},
    {"part", FAULT_PART},
    {"there", FAULT_THERE},
    {"launch", FAULT_LAUNCH},
    {"launch-mute", FAULT_LAUNCH_MUTE},
    {"sync", FAULT_SYNC},
    {"escape", FAULT_ESCAPE},
    {"legacy", FAULT_LEGACY},
    {"allocate", FAULT_ALLOCATE},
    {"allocate-async", FAULT_ALLOCATE_ASYNC},
    {"first", FAULT_FIRST},
    {"reset", FAULT_RESET},
    {"destroy", FAULT_DESTROY},
    {"other", FAULT_NONE},
};
enum { COUNT = sizeof kinds / sizeof kinds[0] };

static gb_status prepare_count(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = calloc(1, sizeof(int));
  return *vstate != NULL ? GB_OK : gb_failf(&gb, c, GB_ENOMEM, "no memory");
}

static gb_status run_fault(const gb_variant *self, gb_case *c, void *vstate) {
  const struct kind *kind = self->user;
  int *calls = vstate;
  int rc = bad_cuda_launch(kind->fault, gb.tensor->data(c, "x"), gb.tensor->data(c, "y"), SIMPLE_N, (*calls)++,
                           gb.cuda->stream(c));
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: cudaError %d", rc);
}

static void release_count(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  free(vstate);
}

/* Asks gpubench for more device memory than there is. prepare_all() takes memory without asking gpubench. */
static gb_status prepare_too_much(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = gb.mem->alloc(c, GB_MEM_DEVICE, UINT64_C(1) << 45);
  return *vstate != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status prepare_all(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)vstate;
  int rc = bad_cuda_take_all();
  return rc == 0 ? gb_failf(&gb, c, GB_EDEVICE, "out of device memory") : GB_OK;
}

static gb_variant variants[COUNT + 2];
static const gb_variant *list[COUNT + 3];
static const gb_bench bench = SIMPLE_BENCH("device", list);

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  for (int i = 0; i < COUNT + 2; i++) {
    const struct kind *kind = &kinds[i < COUNT ? i : 0];
    variants[i] = (gb_variant){GB_SIZE(gb_variant),      .flags = i == 0 ? GB_VARIANT_BASELINE : 0,
                               .name = kind->name,       .backend = "cuda",
                               .math = "fp32",           .user = kind,
                               .prepare = prepare_count, .run = run_fault,
                               .release = release_count};
    list[i] = &variants[i];
  }
  variants[COUNT].name = "too-much";
  variants[COUNT].prepare = prepare_too_much;
  variants[COUNT].release = NULL;
  variants[COUNT + 1].name = "all-memory";
  variants[COUNT + 1].prepare = prepare_all;
  variants[COUNT + 1].release = NULL;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "badcuda", .version = "1.0.0", .open = open};
