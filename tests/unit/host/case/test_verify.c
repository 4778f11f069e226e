/* Tests verification of outputs: the test plays the variant and writes to the tensors. */
#include "case/verify.h"

#include <sched.h>

#include "case/calls.h"
#include "case/contents.h"
#include "case/tensors.h"
#include "fixture_case.h"
#include "model/data/dtype.h"

enum { N = 64 };
static const int64_t length = N;
static struct bed bed;
static struct verification verdict;
static const struct plain plain; /* no earlier run is known */

/* Declares y = 2 x in `dtype`, gives the expected values of all elements, and poisons the outputs (fills them with a
 * pattern that shows unwritten elements) as before a verified run. */
static void begin(uint32_t dtype) {
  double values[N];
  struct err err = {0};
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("x", GB_IN, GB_DTYPE_F32, &length)), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, dtype, &length)), "");
  bed_fill(&bed, 1);
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  gb.tensor->input(bed.c, "x", 0, N, values);
  for (int i = 0; i < N; i++)
    values[i] *= 2;
  ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", 0, N, values), GB_OK);
  ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
}

static void run_right(void) {
  const float *x = gb.tensor->data(bed.c, "x");
  float *y = gb.tensor->data(bed.c, "y");
  for (int i = 0; i < N; i++)
    y[i] = 2 * x[i];
}

static bool judge(void) {
  struct err err = {0};
  ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &PORTION_ALL, &verdict, &err), 0);
  return verdict.pass;
}

static void finds(const char *message) {
  ASSERT_TRUE(!judge());
  ASSERT_HAS(verdict.message, message);
  bed_close(&bed);
}

/* One element is wrong in its last bit. This is within the tolerance, unless the tensor is declared exact. The
 * expected value is rounded to the type of the tensor before the comparison. */
static void exact_outputs_are_compared_bit_for_bit(void) {
  for (int exact = 0; exact < 2; exact++) {
    struct err err = {0};
    bed_open(&bed);
    gb_tensor y = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &length);
    y.flags = exact ? GB_TENSOR_EXACT : 0;
    ASSERT_EQ_STR(bed_declare(&bed, y), "");
    bed_fill(&bed, 1);
    const double third = 1.0 / 3;
    float *values = gb.tensor->data(bed.c, "y");
    call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
    for (int i = 0; i < N; i++) {
      ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", (uint64_t)i, 1, &third), GB_OK);
      values[i] = (float)third;
    }
    ASSERT_EQ_INT(case_verify(bed.c, "bf16", &plain, &PORTION_ALL, &verdict, &err), 0);
    ASSERT_TRUE(verdict.pass);
    values[7] = nextafterf(values[7], 1);
    ASSERT_EQ_INT(case_verify(bed.c, "bf16", &plain, &PORTION_ALL, &verdict, &err), 0);
    ASSERT_TRUE(verdict.pass == !exact);
    if (exact) ASSERT_HAS(verdict.message, "1 of 64 values are not bit for bit what they have to be; first [7] is");
    if (exact) ASSERT_NEAR(verdict.tolerance, 0, 0);
    bed_close(&bed);
  }
}

static void a_bench_has_tolerances_of_its_own(void) {
  for (int own = 0; own < 2; own++) {
    struct err err = {0};
    bed_open(&bed);
    gb_tensor y = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &length);
    y.tolerance = own ? 0.01 : 0;
    ASSERT_EQ_STR(bed_declare(&bed, y), "");
    bed_fill(&bed, 1);
    const double one = 1;
    float *values = gb.tensor->data(bed.c, "y");
    call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
    for (int i = 0; i < N; i++) {
      ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", (uint64_t)i, 1, &one), GB_OK);
      values[i] = 1.005F;
    }
    ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &PORTION_ALL, &verdict, &err), 0);
    ASSERT_TRUE(verdict.pass == (own == 1));
    if (own) ASSERT_NEAR(verdict.tolerance, 0.01, 0);
    values[0] = 1.2F;
    ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &PORTION_ALL, &verdict, &err), 0);
    ASSERT_TRUE(!verdict.pass);
    ASSERT_TRUE((strstr(verdict.message, "of the bench's own") != NULL) == (own == 1));
    bed_close(&bed);
  }
}

static void what_is_right_passes(void) {
  begin(GB_DTYPE_F32);
  run_right();
  ASSERT_TRUE(judge());
  ASSERT_EQ_STR(verdict.message, "");
  ASSERT_EQ_INT(verdict.compared, N);
  ASSERT_NEAR(verdict.error, 0, 0);
  ASSERT_TRUE(verdict.tolerance > 0 && verdict.tolerance < 1e-5);
  bed_close(&bed);
}

static void wrong_values(void) {
  begin(GB_DTYPE_F32);
  run_right();
  ((float *)gb.tensor->data(bed.c, "y"))[17] += 0.5F;
  finds("worst [17] is ");
  ASSERT_TRUE(verdict.error > verdict.tolerance && verdict.compared == N);
  begin(GB_DTYPE_F32);
  run_right();
  ((float *)gb.tensor->data(bed.c, "y"))[63] = NAN;
  finds("'y': 1 of 64 values are not finite");
}

static void unwritten_elements(void) {
  begin(GB_DTYPE_F32);
  finds("left 64 of 64 elements of 'y' unwritten, the first is 0");
  begin(GB_DTYPE_F32);
  run_right();
  memset((float *)gb.tensor->data(bed.c, "y") + 40, 0xFF, 2 * sizeof(float));
  finds("left 2 of 64 elements of 'y' unwritten, the first is 40");
}

/* Unwritten elements are found even if the reference states the values of only a few elements. Gaps in the layout need
 * not be written. */
static void unwritten_elements_of_strided_outputs(void) {
  struct err err = {0};
  const int64_t shape[] = {4, 3}, strides[] = {1, 10};
  const double one = 1;
  for (int missing = -1; missing < 12; missing += 6) {
    gb_tensor t = bed_tensor("y", GB_OUT, GB_DTYPE_BF16, NULL);
    t.rank = 2, t.shape = shape, t.strides = strides;
    bed_open(&bed);
    ASSERT_EQ_STR(bed_declare(&bed, t), "");
    bed_fill(&bed, 1);
    call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
    ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", 0, 1, &one), GB_OK);
    ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
    for (int i = 0; i < 12; i++)
      if (i != missing) fill_store(GB_DTYPE_BF16, gb.tensor->data(bed.c, "y"), (uint64_t)(i / 3 + i % 3 * 10), 1);
    char message[64] = "";
    if (missing >= 0)
      snprintf(message, sizeof message, "left 1 of 12 elements of 'y' unwritten, the first is %d", missing);
    ASSERT_EQ_INT(judge(), missing < 0);
    ASSERT_EQ_STR(verdict.message, message);
    bed_close(&bed);
  }
}

static void writes_beside_a_tensor(void) {
  static const struct {
    const char *tensor;
    int64_t at;
  } rows[] = {{"y", -1}, {"y", -256}, {"y", 256},         {"y", 511},
              {"x", -4}, {"x", 256},  {"y", -GUARD_SIZE}, {"y", 255 + GUARD_SIZE}};
  char message[128];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    begin(GB_DTYPE_F32);
    run_right();
    ((unsigned char *)gb.tensor->data(bed.c, rows[i].tensor))[rows[i].at] ^= 0x10;
    snprintf(message, sizeof message,
             "wrote outside tensor '%s': 1 bytes beside it changed, the first at byte %lld of it", rows[i].tensor,
             (long long)rows[i].at);
    finds(message);
  }
}

static void changed_inputs(void) {
  begin(GB_DTYPE_F32);
  run_right();
  ((unsigned char *)gb.tensor->data(bed.c, "x"))[255] ^= 1;
  finds("changed its input 'x'");
}

static void integers_are_exact(void) {
  begin(GB_DTYPE_I32);
  int32_t *y = gb.tensor->data(bed.c, "y");
  double values[N];
  for (int i = 0; i < N; i++)
    values[i] = y[i] = i - 1; /* -1 has the same bytes as the poison, and is correct */
  struct tensor *t = tensor_find(bed.c, "y");
  tensors_forget(bed.c);
  struct err err = {0};
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(tensor_expect(bed.c, t, 0, N, values), 0);
  ASSERT_TRUE(judge());
  ASSERT_NEAR(verdict.error, 0, 0);
  y[5]++;
  ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &PORTION_ALL, &verdict, &err), 0);
  finds("[5] is 5, expected 4");
}

/* An unwritten integer that by chance should have the value of the poison (bytes that mark memory as unwritten) passes
 * with this poison. A run with the other poison finds it. */
static void integers_left_alone(void) {
  static const int64_t one = 1;
  struct err err = {0};
  for (int other = 0; other < 2; other++) {
    bed_open(&bed);
    bed.c->other_poison = other != 0;
    ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("count", GB_OUT, GB_DTYPE_I32, &one)), "");
    bed_fill(&bed, 1);
    call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
    ASSERT_EQ_INT(gb.tensor->expect(bed.c, "count", 0, 1, &(double){-1}), GB_OK);
    ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
    ASSERT_EQ_INT(judge(), !other);
    if (other) ASSERT_HAS(verdict.message, "worst [0] is 1.51587081e+09, expected -1");
    bed_close(&bed);
  }
}

/* The outputs are poisoned with two different bytes before two runs. An element that holds the poison after both runs
 * was not written. */
static void every_integer_is_to_be_written(void) {
  struct err err = {0};
  for (int written = N - 1; written <= N; written++) {
    struct plain counts = {.seed = 1};
    bed_open(&bed);
    ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_U8, &length)), "");
    bed_fill(&bed, 1);
    uint8_t *y = tensor_find(bed.c, "y")->data;
    for (int run = 0; run < 3; run++) {
      bed.c->other_poison = run == 1;
      counts.known = run > 0;
      ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
      for (int i = 0; i < written; i++)
        y[i] = i % 3 == 0 ? POISON_BYTE : i % 3 == 1 ? OTHER_POISON_BYTE : (uint8_t)i;
      ASSERT_EQ_INT(case_verify(bed.c, "fp32", &counts, &PORTION_ALL, &verdict, &err), 0);
      ASSERT_EQ_INT(verdict.pass, run == 0 || written == N);
      if (!verdict.pass) ASSERT_HAS(verdict.message, "left 1 of 64 elements of 'y' unwritten");
      ASSERT_EQ_INT(case_note_plain(bed.c, &counts, &err), 0);
    }
    bed_close(&bed);
  }
}

/* The worst output is the one with the largest share of its tolerance; an exact one has the tolerance 0. */
static void the_worst_output_is_shown(void) {
  struct err err = {0};
  double values[N];
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("exact", GB_OUT, GB_DTYPE_I32, &length)), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("near", GB_OUT, GB_DTYPE_F32, &length)), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("coarse", GB_OUT, GB_DTYPE_BF16, &length)), "");
  bed_fill(&bed, 1);
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  for (int i = 0; i < N; i++)
    values[i] = 256;
  for (uint32_t i = 0; i < 3; i++) {
    ASSERT_EQ_INT(tensor_expect(bed.c, &bed.c->tensors[i], 0, N, values), 0);
    for (uint64_t e = 0; e < N; e++)
      fill_store(bed.c->tensors[i].dtype, bed.c->tensors[i].data, e, i == 1 ? 256 * (1 + 0x1p-23) : 256);
  }
  ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &PORTION_ALL, &verdict, &err), 0);
  ASSERT_TRUE(verdict.pass);
  ASSERT_EQ_INT(verdict.compared, 3 * N);
  ASSERT_NEAR(verdict.error, 0x1p-23, 1e-12);
  ASSERT_TRUE(verdict.tolerance > verdict.error && verdict.tolerance < 1e-5);
  bed_close(&bed);
}

static void inout_is_compared(void) {
  const double values[] = {2, 3};
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("z", GB_INOUT, GB_DTYPE_F64, &length)), "");
  bed_fill(&bed, 1);
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(gb.tensor->expect(bed.c, "z", 1, 2, values), GB_OK);
  double *z = gb.tensor->data(bed.c, "z");
  ASSERT_TRUE(judge());
  /* the expected values are those after one iteration, so nothing is compared after another number of iterations */
  ASSERT_EQ_INT(verdict.compared, 0);
  bed.c->steps = 1;
  z[1] = 2, z[2] = 3; /* changes for which the reference states no value are not judged */
  ASSERT_TRUE(judge());
  ASSERT_EQ_INT(verdict.compared, 2);
  z[2] = 4;
  finds("worst [2] is 4, expected 3");
}

static void nothing_stated_is_not_compared(void) {
  begin(GB_DTYPE_F32);
  run_right();
  tensors_forget(bed.c);
  ASSERT_TRUE(judge());
  ASSERT_EQ_INT(verdict.compared, 0);
  ASSERT_TRUE(isnan(verdict.error) && isnan(verdict.tolerance));
  bed_close(&bed);
}

static void native_math_is_the_inputs(void) {
  static const struct {
    uint32_t dtype;
    const char *math;
  } rows[] = {{GB_DTYPE_F64, "fp64"},  {GB_DTYPE_F32, "fp32"}, {GB_DTYPE_F16, "fp16"},
              {GB_DTYPE_BF16, "bf16"}, {GB_DTYPE_I32, "fp32"}, {GB_DTYPE_U8, "fp32"}};
  const int64_t n = 4;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bed_open(&bed);
    ASSERT_EQ_STR(case_math(bed.c, "native"), "fp32");
    ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F64, &n)), "");
    ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("x", i % 2 ? GB_IN : GB_INOUT, rows[i].dtype, &n)), "");
    ASSERT_EQ_STR(case_math(bed.c, "native"), rows[i].math);
    ASSERT_EQ_STR(case_math(bed.c, "tf32"), "tf32");
    bed_close(&bed);
  }
}

/* Verifies outputs of several blocks, in a dense tensor and in rows with gaps, on one processor and on all. */
static void judge_many(const int64_t *strides, const cpu_set_t *processors, struct verification *v) {
  enum { ROWS = 33, COLUMNS = 40000 };
  const int64_t shape[] = {ROWS, COLUMNS};
  const uint64_t count = ROWS * COLUMNS, wrong = count - 7;
  double *values = xcalloc(count, sizeof *values);
  struct err err = {0};
  gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_F32, NULL), y = bed_tensor("y", GB_OUT, GB_DTYPE_BF16, NULL);
  x.rank = y.rank = 2, x.shape = y.shape = shape, x.strides = y.strides = strides;
  ASSERT_EQ_INT(sched_setaffinity(0, sizeof *processors, processors), 0);
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, x), "");
  ASSERT_EQ_STR(bed_declare(&bed, y), "");
  bed_fill(&bed, 1);
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(gb.tensor->input(bed.c, "x", 0, count, values), GB_OK);
  ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", 0, count, values), GB_OK);
  ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
  const struct tensor *in = tensor_find(bed.c, "x"), *out = tensor_find(bed.c, "y");
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t at = tensor_storage_index(out, i);
    const double value = dtype_load(GB_DTYPE_F32, in->data, at);
    if (values[i] < value || values[i] > value) UNIT_FAIL("element %llu: read %g", (unsigned long long)i, values[i]);
    fill_store(GB_DTYPE_BF16, out->data, at, i == wrong ? 1.5 * value : value);
  }
  ASSERT_EQ_INT(case_verify(bed.c, "bf16", &plain, &PORTION_ALL, v, &err), 0);
  bed_close(&bed);
  free(values);
}

static void many_elements_on_any_number_of_processors(void) {
  static const int64_t strides[] = {40100, 1};
  cpu_set_t all, one;
  struct verification v[2][2];
  ASSERT_EQ_INT(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  for (int gaps = 0; gaps < 2; gaps++)
    for (int alone = 0; alone < 2; alone++) {
      judge_many(gaps ? strides : NULL, alone ? &one : &all, &v[gaps][alone]);
      ASSERT_HAS(v[gaps][alone].message, "'y': [1319993] is ");
      ASSERT_EQ_INT(v[gaps][alone].compared, 1320000);
      ASSERT_TRUE(memcmp(&v[gaps][alone].error, &v[gaps][0].error, sizeof v[0][0].error) == 0);
      ASSERT_NEAR(v[gaps][alone].error, 1.7e-3, 2e-4);
      ASSERT_EQ_STR(v[gaps][alone].message, v[gaps][0].message);
    }
  ASSERT_EQ_INT(sched_setaffinity(0, sizeof all, &all), 0);
}

/* Makes all values from `right` on wrong, and compares a random part of the values `secrets` times, each time with
 * another key of the random choice. Returns how many comparisons found an error. */
static int finds_of(uint64_t right, uint64_t count, const int64_t *stride, double share, int secrets,
                    uint64_t *compared) {
  const int64_t shape = (int64_t)count;
  double *values = xcalloc(count, sizeof *values);
  int found = 0;
  struct err err = {0};
  gb_tensor y = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &shape);
  y.strides = stride;
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, y), "");
  bed_fill(&bed, 1);
  const struct tensor *out = tensor_find(bed.c, "y");
  for (uint64_t i = 0; i < count; i++) {
    values[i] = 1 + (double)(i % 7);
    fill_store(GB_DTYPE_F32, out->data, tensor_storage_index(out, i), i < right ? values[i] : 3 * values[i]);
  }
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", 0, count, values), GB_OK);
  for (int i = 0; i < secrets; i++) {
    const struct portion portion = {share, (uint64_t)i + 1};
    ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &portion, &verdict, &err), 0);
    found += !verdict.pass;
    *compared += verdict.compared;
  }
  bed_close(&bed);
  free(values);
  return found;
}

static void a_portion_is_where_its_secret_has_it(void) {
#ifdef __SANITIZE_ADDRESS__
  enum { SECRETS = 16, COUNT = 800005 }; /* fewer than in other builds, because the sanitizer checks each access */
#else
  enum { SECRETS = 200, COUNT = 800005 };
#endif
  static const int64_t strides[] = {1, 2};
  for (int i = 0; i < 2; i++) {
    uint64_t compared = 0;
    ASSERT_EQ_INT(finds_of(COUNT, COUNT, &strides[i], 0.25, 8, &compared), 0);
    if (compared < COUNT || compared > 4ull * COUNT) UNIT_FAIL("%llu compared", (unsigned long long)compared);
    compared = 0;
    /* the wrong values are in one of 49 pieces, of which a quarter is compared */
    const int found = finds_of(COUNT - 10, COUNT, &strides[i], 0.25, SECRETS, &compared);
    if (found < SECRETS / 8 || found > SECRETS / 2) UNIT_FAIL("found in %d of %d", found, SECRETS);
  }
  uint64_t compared = 0;
  ASSERT_EQ_INT(finds_of(0, 5, NULL, 1e-9, 20, &compared), 20); /* at least one piece is always compared */
  ASSERT_EQ_INT(compared, 100);
}

/* Compares only a small random part of a tensor. The tensor has large and small elements, all with the same absolute
 * error. Even a part with only small elements passes, because errors are relative to the size of the whole tensor. */
static void a_portion_is_held_against_the_whole(void) {
  enum { COUNT = 800005, SMALL = 16384 };
  const int64_t shape = COUNT;
  const double error = 2e-7;
  double *values = xcalloc(COUNT, sizeof *values);
  struct err err = {0};
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F32, &shape)), "");
  bed_fill(&bed, 1);
  const struct tensor *out = tensor_find(bed.c, "y");
  for (uint64_t i = 0; i < COUNT; i++) {
    values[i] = i / SMALL % 2 == 0 ? 1e-3 : 1;
    fill_store(GB_DTYPE_F32, out->data, i, values[i] + error);
  }
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  for (uint64_t i = 0; i < COUNT; i += SMALL)
    ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", i, COUNT - i < SMALL ? COUNT - i : SMALL, values + i), GB_OK);
  ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &PORTION_ALL, &verdict, &err), 0);
  ASSERT_EQ_STR(verdict.message, "");
  for (uint64_t secret = 1; secret <= 50; secret++) {
    const struct portion few = {0.02, secret};
    ASSERT_EQ_INT(case_verify(bed.c, "fp32", &plain, &few, &verdict, &err), 0);
    ASSERT_EQ_STR(verdict.message, "");
  }
  bed_close(&bed);
  free(values);
}

UNIT_MAIN("verify", UNIT_TEST(what_is_right_passes), UNIT_TEST(exact_outputs_are_compared_bit_for_bit),
          UNIT_TEST(a_bench_has_tolerances_of_its_own), UNIT_TEST(wrong_values), UNIT_TEST(unwritten_elements),
          UNIT_TEST(unwritten_elements_of_strided_outputs), UNIT_TEST(writes_beside_a_tensor),
          UNIT_TEST(changed_inputs), UNIT_TEST(integers_are_exact), UNIT_TEST(integers_left_alone),
          UNIT_TEST(every_integer_is_to_be_written), UNIT_TEST(the_worst_output_is_shown), UNIT_TEST(inout_is_compared),
          UNIT_TEST(nothing_stated_is_not_compared), UNIT_TEST(native_math_is_the_inputs),
          UNIT_TEST(many_elements_on_any_number_of_processors), UNIT_TEST(a_portion_is_where_its_secret_has_it),
          UNIT_TEST(a_portion_is_held_against_the_whole))
