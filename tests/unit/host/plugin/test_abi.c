/* Tests copying structs from plugins: refusals and their messages, and that no memory of the plugin is kept. */
#include "plugin/abi.h"

#include <gpubench/sugar.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/contract_id.h"
#include "unit.h"

/* ---- Valid structs, to be modified ---- */

static gb_status good_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)host, (void)registry, (void)self;
  return GB_OK;
}

static gb_status good_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)c, (void)state;
  return GB_OK;
}

static gb_status good_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)c, (void)state;
  return GB_OK;
}

static gb_status good_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c, (void)vstate;
  return GB_OK;
}

static const gb_plugin good_plugin = {GB_PLUGIN_HEAD, .id = "vector", .version = "1.0", .open = good_open};
static gb_status good_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  return good_run(self, c, vstate);
}

static const gb_variant good_variant = {GB_SIZE(gb_variant), .name = "plain", .backend = "cpu", .math = "fp32",
                                        .run = good_run};
static const gb_axis good_axis = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "1k:4k:x2"};
static const gb_axis_default good_default = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = "1M"};
static const gb_preset good_preset = {GB_SIZE(gb_preset), .name = "small", .point = "n=4k", .backends = "cpu"};
static const gb_axis *const good_axes[] = {&good_axis, NULL};
static const gb_preset *const good_presets[] = {&good_preset, NULL};
static const gb_bench good_bench = {
    GB_SIZE(gb_bench),       .name = "scale",     .contract = "gpubench.org/scale/1", .axes = good_axes,
    .presets = good_presets, .setup = good_setup, .reference = good_reference};
static const int64_t good_shape = 4;
static const gb_tensor good_tensor = {GB_SIZE(gb_tensor), .role = GB_IN, .dtype = GB_DTYPE_F32,
                                      .rank = 1,          .name = "x",   .shape = &good_shape};
static const gb_work good_work = {GB_SIZE(gb_work), .flops = 7, .item_unit = "rows"};

static struct bench_desc bench_desc; /* too large for the stack */

static int take_plugin(const void *theirs, struct err *err) {
  gb_plugin own;
  struct plugin_desc desc;
  return abi_plugin(theirs, &own, &desc, err);
}

static int take_bench(const void *theirs, struct err *err) {
  gb_bench own;
  return abi_bench(theirs, &own, &bench_desc, err);
}

static int take_variant(const void *theirs, struct err *err) {
  gb_variant own;
  struct variant_desc desc;
  return abi_variant(theirs, &own, &desc, err);
}

static int take_tensor(const void *theirs, struct err *err) {
  gb_tensor own;
  return abi_tensor(theirs, &own, err);
}

static int take_work(const void *theirs, struct err *err) {
  gb_work own;
  return abi_work(theirs, &own, err);
}

/* The functions below take a struct that is part of a bench. They put it into a valid bench and take that bench. */
static int take_axis(const void *theirs, struct err *err) {
  const gb_axis *const axes[] = {theirs, NULL};
  gb_bench bench = good_bench;
  bench.axes = axes;
  return take_bench(&bench, err);
}

static int take_default(const void *theirs, struct err *err) {
  const gb_axis_default *const defaults[] = {theirs, NULL};
  gb_axis axis = good_axis;
  axis.defaults = defaults;
  return take_axis(&axis, err);
}

static int take_preset(const void *theirs, struct err *err) {
  const gb_preset *const presets[] = {theirs, NULL};
  gb_bench bench = good_bench;
  bench.presets = presets;
  return take_bench(&bench, err);
}

static void meets(int rc, int (*take)(const void *, struct err *), const void *theirs, const char *message) {
  struct err err = {0};
  ASSERT_EQ_INT(take(theirs, &err), rc);
  ASSERT_EQ_STR(err.text, message);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
}

static void leaves_out(const void *theirs, const char *message) {
  meets(ABI_NEWER, take_variant, theirs, message);
}

static void leaves_out_bench(const void *theirs, const char *message) {
  meets(ABI_NEWER, take_bench, theirs, message);
}

static void refuses(int (*take)(const void *, struct err *), const void *theirs, const char *message) {
  meets(-1, take, theirs, message);
}

static void accepts(int (*take)(const void *, struct err *), const void *theirs) {
  struct err err = {0};
  ASSERT_EQ_INT(take(theirs, &err), 0);
  ASSERT_EQ_STR(err.text, "");
}

/* ---- Sizes ---- */

struct kind {
  const char *what;  /* the beginning of the message */
  const char *newer; /* the same if the struct is longer than this host's, so that its name was read; NULL: equal */
  size_t size;
  const void *good;
  int (*take)(const void *, struct err *);
  size_t size_at;
};

static const struct kind kinds[] = {
    {"entry", NULL, sizeof(gb_plugin), &good_plugin, take_plugin, 4},
    {"bench", "bench 'scale': bench", sizeof(gb_bench), &good_bench, take_bench, 0},
    {"variant", "variant 'plain': variant", sizeof(gb_variant), &good_variant, take_variant, 0},
    {"tensor", NULL, sizeof(gb_tensor), &good_tensor, take_tensor, 0},
    {"work", NULL, sizeof(gb_work), &good_work, take_work, 0},
    {"bench 'scale': axis", "bench 'scale': axis 'n': axis", sizeof(gb_axis), &good_axis, take_axis, 0},
    {"bench 'scale': axis 'n': default", NULL, sizeof(gb_axis_default), &good_default, take_default, 0},
    {"bench 'scale': preset", "bench 'scale': preset 'small': preset", sizeof(gb_preset), &good_preset, take_preset, 0},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Copies the valid struct to exactly `room` bytes, so that a sanitizer finds reads beyond it, and sets its
 * struct_size to `size`. */
static unsigned char *resized(const struct kind *kind, size_t room, uint32_t size) {
  unsigned char *copy = xcalloc(room, 1);
  memcpy(copy, kind->good, room < kind->size ? room : kind->size);
  memcpy(copy + kind->size_at, &size, sizeof size);
  return copy;
}

static void short_structs_are_refused(void) {
  char message[256];
  for (size_t i = 0; i < KINDS; i++) {
    size_t least = kinds[i].size;
    const uint32_t sizes[] = {0, 8, (uint32_t)least - 1};
    for (size_t s = 0; s < 3; s++) {
      unsigned char *theirs = resized(&kinds[i], sizes[s] < 8 ? 8 : sizes[s], sizes[s]);
      snprintf(message, sizeof message, "%s: struct_size is %u, ABI 1.0 has %zu", kinds[i].what, sizes[s], least);
      refuses(kinds[i].take, theirs, message);
      free(theirs);
    }
  }
}

/* An uninitialized size is refused before anything beyond the struct is read. */
static void huge_structs_are_refused(void) {
  const uint32_t sizes[] = {65537, UINT32_MAX};
  char message[256];
  for (size_t i = 0; i < KINDS; i++)
    for (size_t s = 0; s < 2; s++) {
      unsigned char *theirs = resized(&kinds[i], kinds[i].size, sizes[s]);
      snprintf(message, sizeof message, "%s: struct_size is %u, at most 65536", kinds[i].what, sizes[s]);
      refuses(kinds[i].take, theirs, message);
      free(theirs);
    }
}

/* If a plugin needs a later ABI, the message says that first, whatever else this gpubench does not know. */
static void the_version_comes_before_the_tail(void) {
  unsigned char *theirs = xcalloc(sizeof(gb_plugin) + 8, 1);
  const uint32_t size = sizeof(gb_plugin) + 8;
  gb_plugin p = good_plugin;
  p.struct_size = size;
  p.abi_needed = GB_ABI(1, 2);
  memcpy(theirs, &p, sizeof p);
  theirs[sizeof p] = 1;
  refuses(take_plugin, theirs, "needs ABI 1.2, this host speaks 1.0");
  p.abi_needed = GB_ABI(1, 0);
  memcpy(theirs, &p, sizeof p);
  refuses(take_plugin, theirs, "entry: built for a newer ABI: byte 64 of 72 is not zero, this host knows 64 bytes");
  free(theirs);
}

static void long_structs_need_a_zero_tail(void) {
  enum { MORE = 24 };
  char message[256];
  for (size_t i = 0; i < KINDS; i++) {
    uint32_t size = (uint32_t)kinds[i].size + MORE;
    unsigned char *theirs = resized(&kinds[i], size, size);
    /* a name is read before the last bytes, so the message has it; only the entry costs the whole plugin */
    const char *shown = kinds[i].newer != NULL ? kinds[i].newer : kinds[i].what;
    const int rc = kinds[i].take == take_plugin ? -1 : ABI_NEWER;
    accepts(kinds[i].take, theirs);
    theirs[size - 1] = 1;
    snprintf(message, sizeof message, "%s: built for a newer ABI: byte %u of %u is not zero, this host knows %zu bytes",
             shown, size - 1, size, kinds[i].size);
    meets(rc, kinds[i].take, theirs, message);
    theirs[kinds[i].size] = 0x80; /* the message names the first byte that is not zero */
    snprintf(message, sizeof message,
             "%s: built for a newer ABI: byte %zu of %u is not zero, this host knows %zu bytes", shown, kinds[i].size,
             size, kinds[i].size);
    meets(rc, kinds[i].take, theirs, message);
    free(theirs);
  }
}

static void structs_that_are_null_are_refused(void) {
  refuses(take_tensor, NULL, "tensor is NULL");
  refuses(take_work, NULL, "work is NULL");
}

static void nothing_behind_struct_size_counts(void) {
  for (size_t i = 0; i < KINDS; i++) {
    unsigned char *theirs = resized(&kinds[i], kinds[i].size + 8, (uint32_t)kinds[i].size);
    memset(theirs + kinds[i].size, 0xFF, 8);
    accepts(kinds[i].take, theirs);
    free(theirs);
  }
}

/* ---- The entry ---- */

static void refuses_entries(void) {
  gb_plugin p = good_plugin;
  char text[300];
  p.magic = 0xDEADBEEF;
  refuses(take_plugin, &p, "gb_plugin_v1 has magic 0xDEADBEEF, expected 0x4C504247");
  p = good_plugin;
  p.abi_needed = GB_ABI(1, 99);
  refuses(take_plugin, &p, "needs ABI 1.99, this host speaks 1.0");
  p.abi_needed = GB_ABI(2, 0);
  refuses(take_plugin, &p, "needs ABI 2.0, this host speaks 1.0");
  p.abi_needed = 0;
  refuses(take_plugin, &p, "abi_needed is 0x0, which is no version of the ABI; the lowest is 0x10000");
  p.abi_needed = GB_ABI(0, 9);
  refuses(take_plugin, &p, "abi_needed is 0x9, which is no version of the ABI; the lowest is 0x10000");
  p.abi_needed = 0x12345678;
  refuses(take_plugin, &p, "abi_needed is 0x12345678, which is no version of the ABI; the lowest is 0x10000");
  p = good_plugin;
  p.abi_built = GB_ABI(9, 9); /* used in messages only */
  accepts(take_plugin, &p);
  p.id = NULL;
  refuses(take_plugin, &p, "id is empty");
  p.id = "";
  refuses(take_plugin, &p, "id is empty");
  p.id = "../etc/\x1B[2Jpasswd";
  refuses(take_plugin, &p, "id '../etc/?[2Jpasswd' is not a valid name: [A-Za-z0-9][A-Za-z0-9._/-]*, at most 63 bytes");
  p = good_plugin;
  p.version = NULL;
  refuses(take_plugin, &p, "version is empty");
  memset(text, 'v', 256);
  text[256] = '\0';
  p.version = text;
  refuses(take_plugin, &p, "version has more than 255 bytes");
  p = good_plugin;
  p.build = text;
  refuses(take_plugin, &p, "build has more than 255 bytes");
  p.build = NULL;
  p.summary = text;
  refuses(take_plugin, &p, "summary has more than 255 bytes");
  p = good_plugin;
  p.open = NULL;
  refuses(take_plugin, &p, "open is NULL");
}

static void names_have_at_most_63_bytes(void) {
  gb_plugin p = good_plugin;
  struct plugin_desc desc;
  gb_plugin own;
  struct err err = {0};
  char id[65];
  memset(id, 'a', 64);
  id[64] = '\0';
  p.id = id;
  ASSERT_EQ_INT(take_plugin(&p, &err), -1);
  ASSERT_HAS(err.text, "is not a valid name");
  id[63] = '\0';
  err = (struct err){0};
  ASSERT_EQ_INT(abi_plugin(&p, &own, &desc, &err), 0);
  ASSERT_EQ_STR(desc.id, id);
}

/* ---- Benches and variants ---- */

static void refuses_benches(void) {
  gb_bench b = good_bench;
  b.name = "no name";
  refuses(take_bench, &b, "bench name 'no name' is not a valid name: [A-Za-z0-9][A-Za-z0-9._/-]*, at most 63 bytes");
  b = good_bench;
  b.contract = NULL;
  refuses(take_bench, &b, "bench 'scale': contract is empty");
  b.contract = "";
  refuses(take_bench, &b, "bench 'scale': contract is empty");
  b = good_bench;
  b.flags = GB_BENCH_ENERGY | GB_BENCH_NO_ROOF | GB_BENCH_BY_NAME | 0x40;
  leaves_out_bench(&b, "bench 'scale': flag 0x40 is unknown to this host");
  b.flags = 16; /* a flag of drafts of the ABI */
  leaves_out_bench(&b, "bench 'scale': flag 0x10 is unknown to this host");
  b = good_bench;
  b.reserved = 9;
  leaves_out_bench(&b, "bench 'scale': bench: reserved is 9, must be 0");
  b = good_bench;
  b.contract_minor = 65535;
  accepts(take_bench, &b);
  ASSERT_EQ_INT(bench_desc.contract_minor, 65535);
  b.contract_minor = 65536;
  refuses(take_bench, &b, "bench 'scale': contract_minor is 65536, at most 65535");
  b = good_bench;
  b.setup = NULL;
  refuses(take_bench, &b, "bench 'scale': setup is NULL");
  b = good_bench;
  b.reference = NULL;
  refuses(take_bench, &b, "bench 'scale': reference and verify are both NULL: nothing would be checked");
  b.verify = good_reference;
  accepts(take_bench, &b);
}

static void devices_are_counted_by_an_axis(void) {
  const gb_axis share = {GB_SIZE(gb_axis), .type = GB_F64, .name = "share", .values = "0.5"};
  const gb_axis *const axes[] = {&share, &good_axis, NULL};
  struct bench_desc desc;
  struct err err = {0};
  gb_bench b = good_bench, own;
  b.axes = axes;
  ASSERT_EQ_INT(abi_bench(&b, &own, &desc, &err), 0);
  ASSERT_EQ_INT(desc.devices_axis, 0);
  b.devices_axis = "n";
  ASSERT_EQ_INT(abi_bench(&b, &own, &desc, &err), 0);
  ASSERT_EQ_INT(desc.devices_axis, 2);
  b.devices_axis = "m";
  refuses(take_bench, &b, "bench 'scale': devices_axis is 'm', which is none of its axes");
  b.devices_axis = "share";
  refuses(take_bench, &b,
          "bench 'scale': devices_axis is 'share', an axis of type f64: it counts, so GB_I64 is needed");
  b.devices_axis = "\x1B[2J";
  refuses(take_bench, &b,
          "bench 'scale': devices_axis '?[2J' is not a valid name: [A-Za-z0-9][A-Za-z0-9._/-]*, at most 63 bytes");
}

static void refuses_variants(void) {
  gb_variant v = good_variant;
  v.name = NULL;
  refuses(take_variant, &v, "variant name is empty");
  v = good_variant;
  v.flags = GB_VARIANT_BASELINE | GB_VARIANT_DERIVED;
  accepts(take_variant, &v);
  v.flags |= 0x40000000;
  leaves_out(&v, "variant 'plain': flag 0x40000000 is unknown to this host");
  v.flags = GB_VARIANT_YARDSTICK | GB_VARIANT_SYNC;
  accepts(take_variant, &v);
  v.flags = GB_VARIANT_YARDSTICK | GB_VARIANT_BASELINE;
  refuses(take_variant, &v, "variant 'plain': a yardstick cannot be the baseline: flags 0x11");
  v.flags = GB_VARIANT_BY_NAME | GB_VARIANT_YARDSTICK;
  accepts(take_variant, &v);
  v.flags = GB_VARIANT_BY_NAME | GB_VARIANT_BASELINE;
  refuses(take_variant, &v, "variant 'plain': a baseline runs by default: flags 0x21");
  v = good_variant;
  v.refresh = good_refresh;
  refuses(take_variant, &v, "variant 'plain': refresh without GB_VARIANT_DERIVED: flags 0x0");
  v.flags = GB_VARIANT_DERIVED;
  accepts(take_variant, &v);
  v = good_variant;
  v.run = NULL;
  refuses(take_variant, &v, "variant 'plain': run is NULL");
  v = good_variant;
  v.backend = "";
  refuses(take_variant, &v, "variant 'plain': backend is empty");
  v.backend = "abacus"; /* a host need not know all backends */
  accepts(take_variant, &v);
  v.math = "fp31";
  leaves_out(&v, "variant 'plain': math is 'fp31', known are fp64, fp32, tf32, 3xtf32, fp16, bf16, fp8, native");
  v.math = NULL;
  refuses(take_variant, &v, "variant 'plain': math is empty");
  v = good_variant;
  v.reserved = 9;
  leaves_out(&v, "variant 'plain': variant: reserved is 9, must be 0");
  v = good_variant;
  v.contract_minor = 0xFFFFFFFF;
  refuses(take_variant, &v, "variant 'plain': contract_minor is 4294967295, at most 65535");
}

static void a_guest_has_no_bench(void) {
  gb_variant own;
  struct variant_desc desc;
  struct err err = {0};
  gb_variant v = good_variant;
  v.flags = GB_VARIANT_BASELINE;
  ASSERT_EQ_INT(abi_variant(&v, &own, &desc, &err), 0);
  ASSERT_EQ_INT(desc.bench, -1);
  ASSERT_EQ_INT(desc.flags, VARIANT_BASELINE);
  ASSERT_EQ_STR(desc.math, "fp32");
}

/* ---- Contracts ---- */

static void contract_refused(const char *id, const char *fault) {
  char message[600];
  gb_bench b = good_bench;
  b.contract = id;
  snprintf(message, sizeof message,
           "bench 'scale': contract '%s' is no DOMAIN/PATH/N, such as example.org/mine/axpy/1: %s",
           strcmp(id, "x y\n\"z\",=1") == 0 ? "x y?\"z\",=1" : id, fault);
  refuses(take_bench, &b, message);
}

static void contract_accepted(const char *id) {
  char own[CONTRACT_SIZE];
  struct err err = {0};
  ASSERT_EQ_INT(abi_contract(id, own, &err), 0);
  ASSERT_EQ_STR(own, id);
}

static void contracts_have_a_grammar(void) {
  static const char major[] = "it ends in '%s', not in its major, a number from 1 to 999999999 without a leading 0";
  static const char *const majors[] = {"one", "01", "0", "1a", "-1", "1000000000", "", " 1", "1.3"};
  char id[200], fault[200];
  contract_accepted("gpubench.org/attention/forward/1");
  contract_accepted("a/b/1");
  contract_accepted("example.org/mine/some.thing_v-2/deeper/999999999");
  contract_refused("x y\n\"z\",=1", "'x y?\"z\",=1' is not a valid name");
  contract_refused("scale", "it has 1 part, at least 3");
  contract_refused("scale/1", "it has 2 parts, at least 3");
  contract_refused("example.org//scale/1", "a part is empty");
  contract_refused("/scale/1", "a part is empty");
  contract_refused("example.org/-scale/1", "'-scale' is not a valid name");
  contract_refused("example.org/sc ale/1", "'sc ale' is not a valid name");
  for (size_t i = 0; i < sizeof majors / sizeof majors[0]; i++) {
    snprintf(id, sizeof id, "example.org/scale/%s", majors[i]);
    snprintf(fault, sizeof fault, major, majors[i]);
    contract_refused(id, fault);
  }
}

static void contracts_have_at_most_127_bytes(void) {
  char id[255], own[CONTRACT_SIZE], part[64];
  struct err err = {0};
  memset(part, 'a', 61);
  part[61] = '\0';
  snprintf(id, sizeof id, "%s/%s/12", part, part); /* 126 bytes */
  contract_accepted(id);
  snprintf(id, sizeof id, "%s/%s/123", part, part);
  contract_accepted(id);
  snprintf(id, sizeof id, "%s/%s/1234", part, part);
  ASSERT_EQ_INT(abi_contract(id, own, &err), -1);
  ASSERT_HAS(err.text, ": it has 128 bytes, at most 127");
  memset(id, 'b', 254);
  id[254] = '\0';
  err = (struct err){0};
  ASSERT_EQ_INT(abi_contract(id, own, &err), -1);
  ASSERT_HAS(err.text, "contract 'bbbbb");
  ASSERT_HAS(err.text, ": it has 254 bytes, at most 127");
}

/* ---- Axes and presets ---- */

static void axis_refused(gb_axis axis, const char *part) {
  struct err err = {0};
  ASSERT_EQ_INT(take_axis(&axis, &err), -1);
  ASSERT_HAS(err.text, "bench 'scale': ");
  ASSERT_HAS(err.text, part);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
}

static void refuses_axes(void) {
  gb_axis a = good_axis;
  a.type = 0;
  axis_refused(a, "axis 'n' has type 0, known are GB_I64, GB_F64 and GB_STR");
  a.type = 4;
  meets(ABI_NEWER, take_axis, &a, "bench 'scale': axis 'n' has type 4, known are GB_I64, GB_F64 and GB_STR");
  a = good_axis;
  a.choices = "a,b";
  axis_refused(a, "axis 'n': choices are for GB_STR, and needed there");
  a.type = GB_STR;
  a.choices = NULL;
  axis_refused(a, "axis 'n': choices are for GB_STR, and needed there");
  a.choices = "a,[b]";
  axis_refused(a, "axis 'n': choices 'a,[b]' hold brackets");
  a.choices = "";
  axis_refused(a, "axis 'n': its choices: an item is empty");
  a.choices = "a,,b";
  axis_refused(a, "axis 'n': its choices: an item is empty");
  a.choices = "a,b, a";
  axis_refused(a, "axis 'n': its choices 'a,b, a' have 'a' twice");
  a.choices = "a,b";
  a.values = "a,c";
  axis_refused(a, "axis 'n': its default: 'c' is not among a,b");
  a = good_axis;
  a.values = "1:1000000";
  axis_refused(a, "axis 'n': its default: '1:1000000' has more than 4096 values");
  a.values = NULL;
  axis_refused(a, "axis 'n': its default: an item is empty");
  a.values = "none";
  axis_refused(a, "axis 'n': its default: 'none' is not a whole number");
  a = good_axis;
  a.name = "a b";
  axis_refused(a, "axis name 'a b' is not a valid name");
}

static void default_refused(const char *backend, const char *values, const char *part) {
  struct err err = {0};
  gb_axis_default d = {GB_SIZE(gb_axis_default), .backend = backend, .values = values};
  ASSERT_EQ_INT(take_default(&d, &err), -1);
  ASSERT_HAS(err.text, part);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
}

static void refuses_defaults(void) {
  default_refused(NULL, "1", "axis 'n': backend of a default is empty");
  default_refused("cuda", "x", "axis 'n': its default: 'x' is not a whole number");
  default_refused("cuda", NULL, "axis 'n': its default: an item is empty");
  default_refused("cuda,cpu", "1", "axis 'n': backend of a default 'cuda,cpu' is not a valid name");
  const gb_axis_default *const twice[] = {&good_default, &good_default, NULL};
  gb_axis a = good_axis;
  a.defaults = twice;
  axis_refused(a, "axis 'n': two defaults are for backend 'cuda'");
}

static void preset_refused(const char *name, const char *point, const char *part) {
  struct err err = {0};
  gb_preset p = {GB_SIZE(gb_preset), .name = name, .point = point};
  ASSERT_EQ_INT(take_preset(&p, &err), -1);
  ASSERT_HAS(err.text, part);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
}

static void refuses_presets(void) {
  preset_refused("", "n=1", "bench 'scale': preset name is empty");
  preset_refused("p", "m=1", "bench 'scale': preset 'p': its point: 'm' is no axis of scale, which has n");
  preset_refused("p", "n=1,n=2", "preset 'p': its point: axis 'n' is given twice");
  preset_refused("p", "n=1:4", "preset 'p': its point: 'n=1:4' is 4 values, not one");
  preset_refused("p", "n", "preset 'p': its point: 'n' is not NAME=VALUE");
  gb_preset p = good_preset;
  p.backends = "cpu cuda";
  refuses(take_preset, &p,
          "bench 'scale': preset 'small': backends 'cpu cuda': a backend 'cpu cuda' is not a valid name: "
          "[A-Za-z0-9][A-Za-z0-9._/-]*, at most 63 bytes");
  p.backends = "cpu,,cuda";
  refuses(take_preset, &p, "bench 'scale': preset 'small': backends 'cpu,,cuda': a backend is empty");
  p.backends = " cpu , cuda";
  accepts(take_preset, &p);
}

/* ---- Limits ---- */

/* Returns `count` pointers to the same struct, and NULL. */
static const void **many(const void *item, size_t count) {
  const void **list = xcalloc(count + 1, sizeof *list);
  for (size_t i = 0; i < count; i++)
    list[i] = item;
  return list;
}

static void arrays_have_caps(void) {
  gb_bench b = good_bench;
  gb_axis axis = good_axis;
  const void **list = many(&good_axis, AXES_MAX + 1);
  b.presets = NULL;
  b.axes = (const gb_axis *const *)list;
  refuses(take_bench, &b, "bench 'scale': more than 16 axes");
  free(list);
  b = good_bench;
  b.presets = (const gb_preset *const *)(list = many(&good_preset, PRESETS_MAX + 1));
  refuses(take_bench, &b, "bench 'scale': more than 64 presets");
  free(list);
  b = good_bench;
  b.variants = (const gb_variant *const *)(list = many(&good_variant, VARIANTS_MAX + 1));
  refuses(take_bench, &b, "bench 'scale': more than 256 variants");
  list[VARIANTS_MAX] = NULL;
  accepts(take_bench, &b);
  free(list);
  axis.defaults = (const gb_axis_default *const *)(list = many(&good_default, BACKENDS_MAX + 1));
  refuses(take_axis, &axis, "bench 'scale': axis 'n': more than 16 axis defaults");
  gb_axis_default all[BACKENDS_MAX];
  char names[BACKENDS_MAX][8];
  for (size_t i = 0; i < BACKENDS_MAX; i++) {
    snprintf(names[i], sizeof names[i], "b%zu", i);
    all[i] = good_default;
    all[i].backend = names[i];
    list[i] = &all[i];
  }
  list[BACKENDS_MAX] = NULL;
  accepts(take_axis, &axis);
  free(list);
}

static void full_arrays_are_taken(void) {
  gb_axis axes[AXES_MAX];
  const gb_axis *list[AXES_MAX + 1] = {NULL};
  gb_bench b = good_bench;
  char names[AXES_MAX][8];
  for (size_t i = 0; i < AXES_MAX; i++) {
    snprintf(names[i], sizeof names[i], "a%zu", i);
    axes[i] = good_axis;
    axes[i].name = names[i];
    list[i] = &axes[i];
  }
  b.axes = list;
  b.presets = NULL;
  accepts(take_bench, &b);
  ASSERT_EQ_INT(bench_desc.axis_count, AXES_MAX);
  ASSERT_EQ_STR(bench_desc.axes[15].name, "a15");
  axes[15].name = names[3];
  refuses(take_bench, &b, "bench 'scale': two axes are named 'a3'");
  b = good_bench;
  b.presets = (const gb_preset *const[]){&good_preset, &good_preset, NULL};
  refuses(take_bench, &b, "bench 'scale': two presets are named 'small'");
}

static void texts_have_caps(void) {
  char text[600];
  memset(text, '1', sizeof text);
  text[512] = '\0';
  gb_axis a = good_axis;
  a.values = text;
  refuses(take_axis, &a, "bench 'scale': values has more than 511 bytes");
  gb_preset p = good_preset;
  p.point = text;
  refuses(take_preset, &p, "bench 'scale': point has more than 511 bytes");
  text[256] = '\0';
  p = good_preset;
  p.backends = text;
  refuses(take_preset, &p, "bench 'scale': backends has more than 255 bytes");
  a = good_axis;
  a.unit = text;
  refuses(take_axis, &a, "bench 'scale': unit has more than 255 bytes");
}

/* ---- Copies ---- */

static void copies_stand_alone(void) {
  char name[] = "scale", contract[] = "gpubench.org/scale/1", summary[] = "y = a * x\n\x1B", axis_name[] = "n",
       values[] = "1,2", point[] = "n=4k", preset_name[] = "small", backend[] = "cuda", defaults[] = "8";
  gb_axis_default d = {GB_SIZE(gb_axis_default), .backend = backend, .values = defaults};
  const gb_axis_default *d_list[] = {&d, NULL};
  gb_axis a = {GB_SIZE(gb_axis), .type = GB_I64, .name = axis_name, .values = values, .defaults = d_list};
  gb_preset p = {GB_SIZE(gb_preset), .name = preset_name, .point = point};
  const gb_axis *a_list[] = {&a, NULL};
  const gb_preset *p_list[] = {&p, NULL};
  gb_bench b = good_bench, own;
  struct err err = {0};
  b.name = name, b.contract = contract, b.summary = summary, b.axes = a_list, b.presets = p_list;
  ASSERT_EQ_INT(abi_bench(&b, &own, &bench_desc, &err), 0);
  char *const texts[] = {name, contract, summary, axis_name, values, point, preset_name, backend, defaults};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    memset(texts[i], '#', strlen(texts[i]));
  a_list[0] = NULL, p_list[0] = NULL, d_list[0] = NULL;
  memset(&b, 0xEE, sizeof b);
  ASSERT_EQ_STR(bench_desc.name, "scale");
  ASSERT_EQ_STR(bench_desc.contract, "gpubench.org/scale/1");
  ASSERT_EQ_STR(bench_desc.summary, "y = a * x??");
  ASSERT_EQ_INT(bench_desc.axis_count, 1);
  ASSERT_EQ_STR(bench_desc.axes[0].name, "n");
  ASSERT_EQ_STR(bench_desc.axes[0].values, "1,2");
  ASSERT_EQ_STR(bench_desc.axes[0].defaults[0].backend, "cuda");
  ASSERT_EQ_STR(bench_desc.axes[0].defaults[0].values, "8");
  ASSERT_EQ_STR(bench_desc.presets[0].name, "small");
  ASSERT_EQ_STR(bench_desc.presets[0].point, "n=4k");
  ASSERT_TRUE(own.setup == good_setup && own.reference == good_reference);
}

static void absent_texts_are_empty(void) {
  gb_plugin own;
  struct plugin_desc desc;
  struct err err = {0};
  ASSERT_EQ_INT(abi_plugin(&good_plugin, &own, &desc, &err), 0);
  ASSERT_EQ_STR(desc.build, "");
  ASSERT_EQ_STR(desc.summary, "");
  ASSERT_EQ_STR(desc.version, "1.0");
  ASSERT_EQ_INT(desc.abi_built, GB_ABI_VERSION);
}

static void tensors_need_names(void) {
  gb_tensor t = good_tensor;
  t.name = NULL;
  refuses(take_tensor, &t, "tensor name is empty");
  t.name = "a\tb";
  refuses(take_tensor, &t, "tensor name 'a?b' is not a valid name: [A-Za-z0-9][A-Za-z0-9._/-]*, at most 63 bytes");
}

static void counts_of_work_stay_counts(void) {
  gb_work w = good_work;
  w.flops = UINT64_MAX;
  refuses(take_work, &w, "work: flops is 18446744073709551615, at most 9223372036854775807");
  w = good_work;
  w.items = UINT64_C(1) << 63;
  refuses(take_work, &w, "work: items is 9223372036854775808, at most 9223372036854775807");
  w = good_work;
  w.bytes_read = w.bytes_written = INT64_MAX;
  refuses(take_work, &w, "work: bytes_read + bytes_written is 18446744073709551614, at most 9223372036854775807");
  w.bytes_written = 0;
  accepts(take_work, &w);
}

/* A later version of the ABI may give them a meaning. */
static void reserved_fields_are_of_a_later_host(void) {
  struct err err = {0};
  gb_work own_work;
  const gb_work work = {GB_SIZE(gb_work), .reserved = 7};
  ASSERT_EQ_INT(abi_work(&work, &own_work, &err), ABI_NEWER);
  ASSERT_EQ_STR(err.text, "work: reserved is 7, must be 0");
  const int64_t shape = 1;
  gb_tensor own_tensor;
  const gb_tensor tensor = {GB_SIZE(gb_tensor), .name = "x", .rank = 1, .shape = &shape, .reserved = 1};
  err = (struct err){0};
  ASSERT_EQ_INT(abi_tensor(&tensor, &own_tensor, &err), ABI_NEWER);
  ASSERT_EQ_STR(err.text, "tensor: reserved is 1, must be 0");
  gb_axis_default d = good_default;
  d.reserved = 1;
  meets(ABI_NEWER, take_default, &d, "bench 'scale': axis 'n': default: reserved is 1, must be 0");
  gb_preset p = good_preset;
  p.reserved = 1;
  meets(ABI_NEWER, take_preset, &p, "bench 'scale': preset 'small': preset: reserved is 1, must be 0");
}

UNIT_MAIN("abi", UNIT_TEST(short_structs_are_refused), UNIT_TEST(huge_structs_are_refused),
          UNIT_TEST(the_version_comes_before_the_tail), UNIT_TEST(long_structs_need_a_zero_tail),
          UNIT_TEST(structs_that_are_null_are_refused), UNIT_TEST(nothing_behind_struct_size_counts),
          UNIT_TEST(refuses_entries), UNIT_TEST(names_have_at_most_63_bytes), UNIT_TEST(refuses_benches),
          UNIT_TEST(devices_are_counted_by_an_axis), UNIT_TEST(refuses_variants), UNIT_TEST(a_guest_has_no_bench),
          UNIT_TEST(contracts_have_a_grammar), UNIT_TEST(contracts_have_at_most_127_bytes), UNIT_TEST(refuses_axes),
          UNIT_TEST(refuses_defaults), UNIT_TEST(refuses_presets), UNIT_TEST(arrays_have_caps),
          UNIT_TEST(full_arrays_are_taken), UNIT_TEST(texts_have_caps), UNIT_TEST(copies_stand_alone),
          UNIT_TEST(absent_texts_are_empty), UNIT_TEST(tensors_need_names), UNIT_TEST(counts_of_work_stay_counts),
          UNIT_TEST(reserved_fields_are_of_a_later_host))
