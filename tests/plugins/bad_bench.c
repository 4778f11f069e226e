/* Benches and variants that gpubench must refuse or that must fail, each with its own message, and some unusual ones
 * that must load. One fault per build: -DFAULT=FAULT_RUN_NULL and so on. */
#include <math.h>
#include <string.h>

#include "simple.h"

enum fault {
  /* not faults: the plugin must load and run */
  FAULT_TAIL_ZERO,   /* structs that are larger than those of this header, with zeros at the end */
  FAULT_BACKEND,     /* a variant for an unknown backend */
  FAULT_ATTACH_BOTH, /* a variant for the contract (name and version) of this bench, and one for a contract that no
                        plugin offers */
  /* the plugin loads, without the faulty variant */
  FAULT_VARIANT_FLAG, /* a variant with an unknown flag */
  FAULT_VARIANT_TAIL, /* a variant that sets a member of a later version of the ABI */
  FAULT_MATH,         /* a variant with an unknown name in `math` */
  /* the plugin loads, without its bench */
  FAULT_TAIL_SET,   /* a larger struct that uses a member of a later version of the ABI */
  FAULT_BENCH_FLAG, /* a bench with an unknown flag */
  FAULT_AXIS_TYPE,  /* an axis of an unknown type */
  /* refused by `add` */
  FAULT_SHORT,          /* a struct smaller than that of version 1.0 of the ABI */
  FAULT_SIZE_ZERO,      /* struct_size forgotten in the bench */
  FAULT_VARIANT_ZERO,   /* struct_size forgotten in a variant */
  FAULT_AXIS_ZERO,      /* struct_size forgotten in an axis */
  FAULT_DEFAULT_ZERO,   /* struct_size forgotten in an axis default */
  FAULT_PRESET_ZERO,    /* struct_size forgotten in a preset */
  FAULT_DUP_VARIANTS,   /* two variants with one name */
  FAULT_NO_SETUP,       /* setup is NULL */
  FAULT_NO_CHECK,       /* neither reference nor verify */
  FAULT_RUN_NULL,       /* run is NULL */
  FAULT_NAME,           /* a bench with an invalid name */
  FAULT_VARIANT_NAME,   /* a variant whose name is a path */
  FAULT_AXIS_NAME,      /* an axis whose name would break the text that identifies a case */
  FAULT_PRESET_NAME,    /* a preset without a name */
  FAULT_LONG_NAME,      /* a name of 64 bytes */
  FAULT_LONG_SUMMARY,   /* a summary of 300 bytes */
  FAULT_NO_CONTRACT,    /* contract is NULL */
  FAULT_AXIS_EXPR,      /* an axis whose values do not parse */
  FAULT_AXIS_MILLION,   /* an axis with a million values */
  FAULT_AXIS_CHOICE,    /* an axis whose default is not among its choices */
  FAULT_AXES_17,        /* one axis too many */
  FAULT_AXIS_TWICE,     /* two axes with one name */
  FAULT_PRESET_AXIS,    /* a preset sets an axis that does not exist */
  FAULT_PRESET_TWICE,   /* two presets with one name */
  FAULT_BENCH_TWICE,    /* two benches with one name */
  FAULT_ATTACH_NOWHERE, /* a variant for a contract that no plugin offers */
  /* found only when a case is set up or run */
  FAULT_TENSOR_ZERO, /* struct_size forgotten in a tensor */
  FAULT_TENSOR_NAME, /* a tensor with an invalid name */
  FAULT_WORK_ZERO,   /* struct_size forgotten in gb_work */
  FAULT_RANK_ZERO,   /* setup declares a tensor without dimensions */
  FAULT_NEGATIVE,    /* an extent of -4 */
  FAULT_OVERFLOW,    /* elements beyond 64 bits */
  FAULT_DUP_TENSOR,  /* two tensors with one name */
  FAULT_TENSORS_257, /* one tensor too many */
  FAULT_DTYPE,       /* an unknown dtype */
  FAULT_OVERLAP,     /* strides with which two elements have the same address */
  FAULT_SETUP_ERROR, /* setup fails with a message */
  FAULT_SETUP_MUTE,  /* setup fails without a message */
  FAULT_IGNORED,     /* setup ignores the error that a function of gpubench returned */
  FAULT_SKIP_MUTE,   /* supports returns GB_SKIP and gives no reason */
  FAULT_ENOMEM,      /* prepare asks for 1 PB */
  FAULT_AXIS_ASKED,  /* run asks for an axis that does not exist */
  FAULT_NO_TENSOR,   /* run asks for a tensor that does not exist */
  FAULT_EXPECT_NONE, /* reference gives no expected values */
  FAULT_EXPECT_NAN,  /* reference gives NaN although the variants return numbers */
  FAULT_VERIFY,      /* verify rejects the output */
};

struct longer_bench {
  gb_bench known;
  uint64_t future[2];
};
struct longer_variant {
  gb_variant known;
  uint64_t future[2];
};

static gb_status declare(gb_case *c, const char *name, uint32_t rank, const int64_t *shape, const int64_t *strides) {
  gb_tensor tensor = {GB_SIZE(gb_tensor), .role = GB_SCRATCH, .dtype = FAULT == FAULT_DTYPE ? 99 : GB_DTYPE_F32,
                      .rank = rank,       .name = name,       .shape = shape,
                      .strides = strides};
  if (FAULT == FAULT_TENSOR_ZERO) tensor.struct_size = 0;
  return gb.tensor->declare(c, &tensor);
}

static gb_status declare_257(gb_case *c) {
  const int64_t one = 1;
  gb_status status = GB_OK;
  for (int i = 0; i < 255 && status == GB_OK; i++) {
    char name[8];
    snprintf(name, sizeof name, "t%d", i);
    status = declare(c, name, 1, &one, NULL);
  }
  return status;
}

static gb_status bad_setup(const gb_bench *self, gb_case *c, void **state) {
  const int64_t plain[2] = {4, 4}, negative[2] = {4, -4}, huge[2] = {INT64_C(1) << 40, INT64_C(1) << 40};
  const int64_t overlapping[2] = {1, 1};
  gb_status status = simple_setup(self, c, state);
  if (status != GB_OK) return status;
  if (FAULT == FAULT_RANK_ZERO) return declare(c, "t", 0, plain, NULL);
  if (FAULT == FAULT_NEGATIVE) return declare(c, "t", 2, negative, NULL);
  if (FAULT == FAULT_OVERFLOW) return declare(c, "t", 2, huge, NULL);
  if (FAULT == FAULT_DUP_TENSOR) return declare(c, "x", 2, plain, NULL);
  if (FAULT == FAULT_TENSORS_257) return declare_257(c);
  if (FAULT == FAULT_DTYPE || FAULT == FAULT_TENSOR_ZERO) return declare(c, "t", 2, plain, NULL);
  if (FAULT == FAULT_TENSOR_NAME) return declare(c, "a tensor", 2, plain, NULL);
  if (FAULT == FAULT_WORK_ZERO) return gb.point->work(c, &(gb_work){.flops = 1});
  if (FAULT == FAULT_OVERLAP) return declare(c, "t", 2, plain, overlapping);
  if (FAULT == FAULT_SETUP_ERROR) return gb_failf(&gb, c, GB_EFAIL, "no milk in the fridge");
  if (FAULT == FAULT_SETUP_MUTE) return GB_EFAIL;
  if (FAULT == FAULT_IGNORED) (void)gb.point->i64(c, "no-such-axis");
  return GB_OK;
}

static gb_status bad_reference(const gb_bench *self, gb_case *c, void *state) {
  const double nan = NAN;
  if (FAULT == FAULT_EXPECT_NONE) return GB_OK;
  if (FAULT == FAULT_EXPECT_NAN) return gb.tensor->expect(c, "y", 9, 1, &nan);
  return simple_reference(self, c, state);
}

static gb_status bad_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  return FAULT == FAULT_VERIFY ? gb_failf(&gb, c, GB_EFAIL, "the sum of rows is off by 3") : GB_OK;
}

static gb_status bad_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  (void)c;
  return FAULT == FAULT_SKIP_MUTE ? GB_SKIP : GB_OK;
}

static gb_status bad_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  if (FAULT != FAULT_ENOMEM) return GB_OK;
  *vstate = gb.mem->alloc(c, GB_MEM_DEVICE, UINT64_C(1) << 50);
  return *vstate != NULL ? GB_OK : GB_ENOMEM;
}

static gb_status bad_run(const gb_variant *self, gb_case *c, void *vstate) {
  if (FAULT == FAULT_AXIS_ASKED) (void)gb.point->i64(c, "no-such-axis");
  if (FAULT == FAULT_NO_TENSOR && gb.tensor->data(c, "no-such-tensor") != NULL) return GB_EFAIL;
  return simple_run(self, c, vstate);
}

static gb_axis axis = {GB_SIZE(gb_axis), .type = GB_I64, .name = "m", .values = "1,2"};
static gb_axis axis_str = {GB_SIZE(gb_axis), .type = GB_STR, .name = "kind", .choices = "red,blue", .values = "red"};
static const gb_axis *axes[18];
static gb_preset preset = {GB_SIZE(gb_preset), .name = "one", .point = "m=1", .backends = "cpu"};
static const gb_preset *presets[] = {&preset, NULL, NULL};

static gb_variant good = SIMPLE_BASELINE("good");
static struct longer_variant odd = {.known = {.struct_size = (uint32_t)sizeof(struct longer_variant),
                                              .name = "odd",
                                              .backend = "cpu",
                                              .math = "fp32",
                                              .supports = bad_supports,
                                              .prepare = bad_prepare,
                                              .run = bad_run}};
static const gb_variant *const variants[] = {&good, &odd.known, NULL};

static struct longer_bench bench = {.known = {.struct_size = (uint32_t)sizeof(struct longer_bench),
                                              .name = "bench",
                                              .contract = "gpubench.org/test/bench/1",
                                              .axes = axes,
                                              .presets = presets,
                                              .variants = variants,
                                              .setup = bad_setup,
                                              .reference = bad_reference,
                                              .verify = bad_verify}};

static gb_axis_default axis_default = {GB_SIZE(gb_axis_default), .backend = "cpu", .values = "1"};
static const gb_axis_default *const axis_defaults[] = {&axis_default, NULL};

static void spoil_axes(void) {
  axes[0] = &axis;
  axes[1] = &axis_str;
  axis.defaults = axis_defaults;
  if (FAULT == FAULT_AXIS_ZERO) axis.struct_size = 0;
  if (FAULT == FAULT_DEFAULT_ZERO) axis_default.struct_size = 0;
  if (FAULT == FAULT_PRESET_ZERO) preset.struct_size = 0;
  if (FAULT == FAULT_AXIS_NAME) axis.name = "m,n=1";
  if (FAULT == FAULT_PRESET_NAME) preset.name = "";
  if (FAULT == FAULT_AXIS_EXPR) axis.values = "1:banana:x2";
  if (FAULT == FAULT_AXIS_MILLION) axis.values = "1:1000000:1";
  if (FAULT == FAULT_AXIS_TYPE) axis.type = 17;
  if (FAULT == FAULT_AXIS_CHOICE) axis_str.values = "green";
  if (FAULT == FAULT_AXIS_TWICE) axes[2] = &axis;
  if (FAULT == FAULT_PRESET_AXIS) preset.point = "m=1,zebra=2";
  if (FAULT == FAULT_PRESET_TWICE) presets[1] = &preset;
  if (FAULT != FAULT_AXES_17) return;
  static gb_axis many[17];
  static char names[17][8];
  for (int i = 0; i < 17; i++) {
    snprintf(names[i], sizeof names[i], "a%d", i);
    many[i] = (gb_axis){GB_SIZE(gb_axis), .type = GB_I64, .name = names[i], .values = "1"};
    axes[i] = &many[i];
  }
  bench.known.presets = NULL;
}

static void spoil_variants(void) {
  if (FAULT == FAULT_BACKEND) odd.known.backend = "abacus";
  if (FAULT == FAULT_VARIANT_ZERO) odd.known.struct_size = 0;
  if (FAULT == FAULT_VARIANT_NAME) odd.known.name = "../../etc";
  if (FAULT == FAULT_DUP_VARIANTS) odd.known.name = "good";
  if (FAULT == FAULT_VARIANT_TAIL) odd.future[1] = 5;
  if (FAULT == FAULT_VARIANT_FLAG) odd.known.flags = UINT32_C(1) << 30;
  if (FAULT == FAULT_RUN_NULL) odd.known.run = NULL;
  if (FAULT == FAULT_MATH) odd.known.math = "abacus";
}

static void spoil_bench(void) {
  static char long_name[65], long_summary[301];
  memset(long_name, 'n', sizeof long_name - 1);
  memset(long_summary, 's', sizeof long_summary - 1);
  if (FAULT == FAULT_TAIL_SET) bench.future[1] = 5;
  if (FAULT == FAULT_SHORT) bench.known.struct_size = (uint32_t)offsetof(gb_bench, teardown);
  if (FAULT == FAULT_SIZE_ZERO) bench.known.struct_size = 0;
  if (FAULT == FAULT_NO_SETUP) bench.known.setup = NULL;
  if (FAULT == FAULT_NO_CHECK) bench.known.reference = NULL;
  if (FAULT != FAULT_VERIFY) bench.known.verify = NULL;
  if (FAULT == FAULT_BENCH_FLAG) bench.known.flags = UINT32_C(1) << 30;
  if (FAULT == FAULT_NAME) bench.known.name = "two words";
  if (FAULT == FAULT_LONG_NAME) bench.known.name = long_name;
  if (FAULT == FAULT_LONG_SUMMARY) bench.known.summary = long_summary;
  if (FAULT == FAULT_NO_CONTRACT) bench.known.contract = NULL;
}

static gb_status bad_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  spoil_axes();
  spoil_variants();
  spoil_bench();
  gb_status status = gb_sdk_open(&gb, host);
  if (status != GB_OK) return status;
  if (FAULT == FAULT_ATTACH_NOWHERE) return host->attach(host, registry, "gpubench.org/test/nowhere/1", &good);
  status = host->add(host, registry, &bench.known);
  if (FAULT == FAULT_ATTACH_BOTH && status == GB_OK)
    status = host->attach(host, registry, "gpubench.org/test/nowhere/1", &good);
  return FAULT == FAULT_BENCH_TWICE && status == GB_OK ? host->add(host, registry, &bench.known) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "bad", .version = "1.0.0", .open = bad_open};
