/* Tests contracts (what a bench asks of its variants): how tensor shapes and other figures depend on the axes, and the
 * printed forms, including hostile texts of a plugin. */
#include "contract/forms.h"

#include <gpubench/ext/tensor.h>

#include "fixture_catalog.h"
#include "plan/lineup.h"
#include "unit.h"

/* Declares, for axes m, n and type: x [m, n], y [m + n, m / 2], z [m * m, 7], both of `type`. */
static void declare(struct declaration *d, const struct point *point) {
  const int64_t m = point->values[0].i64, n = point->values[1].i64;
  const uint32_t dtype = strcmp(point->values[2].str, "bf16") == 0 ? GB_DTYPE_BF16 : GB_DTYPE_F32;
  const struct tensor_desc tensors[] = {{.name = "x",
                                         .role = GB_IN,
                                         .dtype = dtype,
                                         .rank = 2,
                                         .shape = {m, n},
                                         .strides = {2 * n, 1},
                                         .align = 256,
                                         .fill = GB_FILL_NORMAL,
                                         .fill_a = 104,
                                         .fill_b = 4},
                                        {.name = "c",
                                         .role = GB_OUT,
                                         .dtype = dtype,
                                         .rank = 2,
                                         .shape = {m + n, m / 2},
                                         .strides = {m / 2, 1},
                                         .align = 16,
                                         .reduction = (uint64_t)(n + 3)},
                                        {.name = "z/1",
                                         .role = GB_INOUT,
                                         .dtype = GB_DTYPE_I32,
                                         .rank = 2,
                                         .shape = {m * m, 7},
                                         .strides = {7, 1},
                                         .align = 256,
                                         .offset = 4,
                                         .reduction = 1,
                                         .fill = GB_FILL_UNIFORM,
                                         .fill_b = 0.5}};
  *d = (struct declaration){.count = 3};
  memcpy(d->tensors, tensors, sizeof tensors);
  d->report.flops = (uint64_t)(2 * m * n * n);
  d->report.bytes_read = (uint64_t)(m * n + 1);
  d->report.bytes_written = (uint64_t)(m * (8 * n + 12));
  d->report.items = (uint64_t)m;
  SET(d->report.item_unit, "rows");
}

struct scene {
  struct fixture *f;
  struct lineups lineups;
  struct probe probes[1];
  struct contract contract;
};

static void add_probe(struct scene *s, uint32_t axis, int64_t whole, const char *text) {
  struct probe *p = &s->probes[s->contract.probe_count++];
  struct point point = s->contract.point;
  p->axis = axis;
  p->known = true;
  point.values[axis].i64 = whole;
  SET(point.values[axis].str, text);
  p->value = point.values[axis];
  declare(&p->declaration, &point);
}

static void begin(struct scene *s) {
  *s = (struct scene){.f = fixture_new()};
  struct bench_desc *bench = &s->f->benches[SOFTMAX];
  bench->axis_count = 0;
  fixture_axis(bench, AXIS_I64, "m", "1k", "");
  fixture_axis(bench, AXIS_I64, "n", "1k", "");
  fixture_axis(bench, AXIS_STR, "type", "fp32", "fp32,bf16");
  lineups_all(&s->f->catalog, &s->lineups);
  s->contract = (struct contract){.lineup = &s->lineups.items[1], .backend = "cpu", .probes = s->probes};
  struct point *point = &s->contract.point;
  point->count = 3;
  for (uint32_t a = 0; a < 3; a++) {
    SET(point->values[a].name, bench->axes[a].name);
    point->values[a].type = bench->axes[a].type;
  }
  point->values[0].i64 = 6;
  point->values[1].i64 = 10;
  SET(point->values[2].str, "fp32");
  SET(s->contract.key, "softmax/rows[m=6,n=10,type=fp32]");
  declare(&s->contract.example, point);
  add_probe(s, 2, 0, "bf16");
}

static void end(struct scene *s) {
  lineups_free(&s->lineups);
  free(s->f);
}

/* ---- Printed forms ---- */

static char *printed;
static size_t printed_size;

static const char *print(const struct scene *s, bool json, bool markdown, bool skeleton) {
  const struct options options = {.list = {.json = json, .markdown = markdown, .skeleton = skeleton}};
  free(printed);
  printed = NULL;
  FILE *out = open_memstream(&printed, &printed_size);
  ASSERT_EQ_INT(contract_print(&options, &s->f->catalog, &s->contract, 1, out), EXIT_OK);
  fclose(out);
  return printed;
}

static void prints_text(void) {
  struct scene s;
  begin(&s);
  const char *text = print(&s, false, false, false);
  ASSERT_HAS(text, "contract gpubench.org/softmax/rows/1\n");
  ASSERT_HAS(text, "  bench softmax/rows, of plugin softmax 0.1.0 in /opt/plugins/softmax.so\n");
  ASSERT_HAS(text, "  type           str  fp32  of fp32,bf16\n");
  ASSERT_HAS(text, "tensors  of softmax/rows[m=6,n=10,type=fp32] on cpu\n");
  ASSERT_HAS(text,
             "  x              in      f32 (type=fp32), bf16 (type=bf16)  [6, 10]  strides [20, 1], aligned to 256 "
             "bytes; normal, mean 104, std dev 4\n");
  ASSERT_HAS(text,
             "  c              out     f32 (type=fp32), bf16 (type=bf16)  [16, 3]  row-major, dense, aligned "
             "to 16 bytes; sums of 13 terms\n");
  ASSERT_HAS(text,
             "  z/1            inout   i32  [36, 7]  row-major, dense, 4 bytes behind an alignment to 256; "
             "uniform in [0, 0.5)\n");
  ASSERT_HAS(text, "  operations     1200\n");
  ASSERT_HAS(text, "  rows           6\n");
  ASSERT_HAS(text, "native is fp32 here\n");
  ASSERT_HAS(text, "  c              f32   fp64 3.8e-08  fp32 8.4e-07");
  ASSERT_HAS(text, "  c              bf16  fp64 0.0025");
  ASSERT_HAS(text, "  z/1            i32   exact\n");
  ASSERT_HAS(text, "  online                   cuda  native\n");
  end(&s);
}

static void prints_json(void) {
  struct scene s;
  begin(&s);
  const char *text = print(&s, true, false, false);
  ASSERT_HAS(text, "{\n  \"contracts\": [\n    {\n      \"contract\": \"gpubench.org/softmax/rows/1\"");
  ASSERT_HAS(text, "\"shape\": [\n            6,\n            10\n          ]");
  ASSERT_HAS(text, "\"reduction\": 13,\n");
  ASSERT_HAS(text, "\"flops\": 1200,\n");
  ASSERT_HAS(text, "\"not_known\": null");
  end(&s);
}

/* The printed contract contains no path and no build, so that it is the same on all machines. */
static void prints_markdown(void) {
  struct scene s;
  begin(&s);
  SET(s.f->benches[SOFTMAX].axes[0].summary, "a | b <script> `code`");
  const char *text = print(&s, false, true, false);
  ASSERT_HAS(text, "Contract `gpubench.org/softmax/rows/1` of bench `softmax/rows`.\n");
  ASSERT_HAS(text, "| `m` | i64 | `1k` | a \\| b \\<script\\> \\`code\\` |\n");
  ASSERT_HAS(text,
             "| `x` | in | f32 (type=fp32), bf16 (type=bf16) | `[6, 10]` | strides [20, 1], aligned to 256 bytes "
             "| normal, mean 104, std dev 4 |\n");
  ASSERT_HAS(text, "| `z/1` | i32 | exact |");
  ASSERT_TRUE(strstr(text, "/opt/") == NULL);
  end(&s);
}

/* Prints source code for a guest (a variant of this bench in another plugin). Names that are reserved in C or
 * ambiguous are changed; strings are not. */
static void prints_a_guest(void) {
  struct scene s;
  begin(&s);
  SET(s.f->benches[SOFTMAX].axes[1].name, "x");
  SET(s.f->benches[SOFTMAX].axes[0].summary, "a */ b");
  const char *text = print(&s, false, false, true);
  ASSERT_HAS(text, "if (!gb_axis_is(&gb, c, \"type\", \"fp32\")) return gb_failf(&gb, c, GB_SKIP, \"fp32 only\");");
  ASSERT_HAS(text, "  /* as at softmax/rows[m=6,n=10,type=fp32] */\n");
  ASSERT_HAS(text, "const float *x = gb.tensor->data(c, \"x\"); /* in, f32 [6, 10], strided */\n");
  ASSERT_HAS(text, "  float *c_ = gb.tensor->data(c, \"c\");");
  ASSERT_HAS(text, "  int32_t *z_1 = gb.tensor->data(c, \"z/1\");");
  ASSERT_HAS(text, "  int64_t x_ = gb.point->i64(c, \"x\");");
  ASSERT_HAS(text, "/* a *_ b */");
  ASSERT_HAS(text, "\n * gpubench --plugin /opt/plugins/softmax.so --plugin ./mine.so */\n");
  ASSERT_HAS(text, "host->attach(host, registry, \"gpubench.org/softmax/rows/1\", &variant)");
  end(&s);
}

static void prints_the_rest_without_tensors(void) {
  struct scene s;
  begin(&s);
  SET(s.contract.why, "setup: no\x1b[31m");
  ASSERT_HAS(print(&s, false, false, false), "tensors  not known here: setup: no?[31m\n");
  ASSERT_HAS(print(&s, false, false, false), "variants\n");
  ASSERT_HAS(print(&s, true, false, false), "\"not_known\": \"setup: no\\u001b[31m\"");
  ASSERT_HAS(print(&s, true, false, false), "\"tensors\": []");
  ASSERT_HAS(print(&s, false, true, false), "not known here: setup: no?\\[31m");
  ASSERT_HAS(print(&s, false, false, true), "attach");
  end(&s);
}

static void prints_a_bench_without_tensors(void) {
  struct scene s;
  begin(&s);
  s.contract.example.count = 0;
  const char *text = print(&s, false, false, false);
  ASSERT_HAS(text, "on cpu\n  none\nwork\n");
  ASSERT_TRUE(strstr(text, "tolerance") == NULL);
  text = print(&s, false, true, false);
  ASSERT_HAS(text, "It declares no tensors.\n");
  ASSERT_TRUE(strstr(text, "tolerance") == NULL);
  ASSERT_HAS(print(&s, true, false, false), "\"tensors\": []");
  ASSERT_HAS(print(&s, false, false, true), "attach");
  end(&s);
}

static void tells_of_a_full_disk(void) {
  struct scene s;
  begin(&s);
  for (int form = 0; form < 4; form++) {
    const struct options options = {.list = {.json = form == 1, .markdown = form == 2, .skeleton = form == 3}};
    FILE *full = fopen("/dev/full", "w");
    ASSERT_EQ_INT(contract_print(&options, &s.f->catalog, &s.contract, 1, full), EXIT_FAILED);
    fclose(full);
  }
  end(&s);
  free(printed);
}

UNIT_MAIN("contract", UNIT_TEST(prints_text), UNIT_TEST(prints_json), UNIT_TEST(prints_markdown),
          UNIT_TEST(prints_a_guest), UNIT_TEST(prints_the_rest_without_tensors),
          UNIT_TEST(prints_a_bench_without_tensors), UNIT_TEST(tells_of_a_full_disk))
