#include "model/data/fill.h"

#include "model/data/dtype.h"
#include "model/data/fill_range.h"
#include "unit.h"

static const uint32_t float_types[] = {GB_DTYPE_F64, GB_DTYPE_F32, GB_DTYPE_F16, GB_DTYPE_BF16, GB_DTYPE_E4M3};
enum { FLOAT_TYPES = sizeof float_types / sizeof float_types[0] };

static uint64_t key_of(const struct fill *fill) {
  return rng_key(fill->seed, fill->stream);
}

/* Returns the FNV-1a hash of the stored bytes of the first 10000 elements. */
static uint64_t fingerprint(const struct fill *fill) {
  uint64_t sum = UINT64_C(0xCBF29CE484222325), key = key_of(fill), storage = 0;
  for (uint64_t i = 0; i < 10000; i++) {
    fill_store(fill->dtype, &storage, 0, fill_value(fill, key, i));
    for (size_t j = 0; j < dtype_bytes(fill->dtype); j++)
      sum = (sum ^ (unsigned char)(storage >> 8 * j)) * UINT64_C(0x100000001B3);
  }
  return sum;
}

/* The values of a fill must never change, because stored results name only its seed, and a GPU computes the same
 * values. With these bounds every operation rounds, so that a fused multiply-add would change the values. */
static void bits_are_golden(void) {
  static const struct {
    struct fill fill;
    uint64_t sum;
  } rows[] = {
      {{GB_DTYPE_F64, GB_FILL_UNIFORM, -0.3, 0.7, 1, 2}, UINT64_C(0x794931BFB23F8F42)},
      {{GB_DTYPE_F32, GB_FILL_UNIFORM, -0.3, 0.7, 1, 2}, UINT64_C(0x615A0D7360BD5076)},
      {{GB_DTYPE_F16, GB_FILL_UNIFORM, -0.3, 0.7, 1, 2}, UINT64_C(0x982EACB3DA3B5AF2)},
      {{GB_DTYPE_BF16, GB_FILL_UNIFORM, -0.3, 0.7, 1, 2}, UINT64_C(0xCF86B5C137E9C1BC)},
      {{GB_DTYPE_E4M3, GB_FILL_UNIFORM, -0.3, 0.7, 1, 2}, UINT64_C(0xF97E390AA3291D03)},
      {{GB_DTYPE_I32, GB_FILL_UNIFORM, -1000, 1000, 1, 2}, UINT64_C(0x42ABB3800A3FF066)},
      {{GB_DTYPE_U8, GB_FILL_UNIFORM, 0, 256, 1, 2}, UINT64_C(0x42F448965751BC4D)},
      {{GB_DTYPE_F64, GB_FILL_NORMAL, 0.1, 1.3, 3, 4}, UINT64_C(0x23BDB49BDA9C386F)},
      {{GB_DTYPE_F32, GB_FILL_NORMAL, 0.1, 1.3, 3, 4}, UINT64_C(0x4DC5F145337B5D50)},
      {{GB_DTYPE_F16, GB_FILL_NORMAL, 0.1, 1.3, 3, 4}, UINT64_C(0x02B4913067D020DB)},
      {{GB_DTYPE_BF16, GB_FILL_NORMAL, 0.1, 1.3, 3, 4}, UINT64_C(0x77998A6C63821264)},
      {{GB_DTYPE_E4M3, GB_FILL_NORMAL, 0.1, 1.3, 3, 4}, UINT64_C(0x27A161983AC5A2DA)},
      {{GB_DTYPE_I32, GB_FILL_NORMAL, 10, 100, 3, 4}, UINT64_C(0x09C30F5154AAD913)},
      {{GB_DTYPE_U8, GB_FILL_NORMAL, 128, 64, 3, 4}, UINT64_C(0xADC34B09992A0F2E)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (fingerprint(&rows[i].fill) != rows[i].sum)
      UNIT_FAIL("%s kind %u: 0x%016llX", dtype_name(rows[i].fill.dtype), rows[i].fill.kind,
                (unsigned long long)fingerprint(&rows[i].fill));
  UNIT_PASS();
}

/* Computes in steps that each round once; `volatile` keeps compilers from fusing them. */
static void steps_round_once_each(void) {
  struct fill fill = {GB_DTYPE_F64, GB_FILL_UNIFORM, 0.1, 0.1 + 1 / 3.0, 9, 9};
  uint64_t key = key_of(&fill);
  int wrong = 0;
  for (uint64_t i = 0; i < 20000; i++) {
    volatile double width = fill.b - fill.a, unit = (double)(rng_bits(key, i) >> 11) * 0x1p-53;
    volatile double product = width * unit;
    volatile double value = fill.a + product;
    wrong += value < fill.b && fill_value(&fill, key, i) != value;
  }
  ASSERT_EQ_INT(wrong, 0);
}

/* Returns true if the type has a value in [a, b). */
static bool has_value(uint32_t dtype, double a, double b) {
  uint64_t code = fill_encode(dtype, a);
  double value = fill_decode(dtype, code);
  if (value < a) value = fill_decode(dtype, fill_step(dtype, code, true));
  return isfinite(value) && value < b;
}

/* Values lie in [a, b) and are stored unchanged, for bounds that the type cannot hold, tiny and huge spans, and
 * negative ones. */
static void uniform_stays_inside(void) {
  static const double bounds[][2] = {{0, 1},       {-1, 1},        {0.1, 0.9}, {-0.3, -0.1},   {0, 3e-7},
                                     {1, 1.02},    {-1.02, -1},    {0.99, 1},  {-5e4, 6e4},    {-1e-3, 0},
                                     {1000, 1100}, {0.00001, 0.1}, {-7, 1e-6}, {65505, 65600}, {-500, -470}};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
      struct fill fill = {float_types[t], GB_FILL_UNIFORM, bounds[b][0], bounds[b][1], 7, b};
      uint64_t key = key_of(&fill), storage = 0;
      int outside = 0, changed = 0;
      bool possible = has_value(fill.dtype, fill.a, fill.b);
      for (uint64_t i = 0; i < 20000; i++) {
        double value = fill_value(&fill, key, i);
        outside += possible ? !(value >= fill.a && value < fill.b) : !isfinite(value);
        fill_store(fill.dtype, &storage, 0, value);
        changed += dtype_load(fill.dtype, &storage, 0) != value;
      }
      if (outside + changed > 0)
        UNIT_FAIL("%s [%g, %g): %d outside, %d changed by storing", dtype_name(fill.dtype), fill.a, fill.b, outside,
                  changed);
    }
  UNIT_PASS();
}

static void uniform_reaches_both_ends(void) {
  struct fill fill = {GB_DTYPE_BF16, GB_FILL_UNIFORM, 0, 1, 1, 1};
  double highest = 0, lowest = 1;
  for (uint64_t i = 0; i < 200000; i++) {
    double value = fill_value(&fill, key_of(&fill), i);
    highest = fmax(highest, value);
    lowest = fmin(lowest, value);
  }
  ASSERT_NEAR(highest, 1 - 0x1p-8, 0); /* the largest bf16 below 1 */
  ASSERT_TRUE(lowest < 1e-4);
}

static void nothing_overflows(void) {
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (uint32_t kind = GB_FILL_UNIFORM; kind <= GB_FILL_NORMAL; kind++) {
      struct fill fill = {float_types[t], kind, -1.7e308, 1.7e308, 1, 1};
      int bad = 0;
      for (uint64_t i = 0; i < 1000; i++)
        bad += !isfinite(fill_value(&fill, key_of(&fill), i));
      ASSERT_EQ_INT(bad, 0);
    }
}

static void moments_are_right(void) {
  enum { N = 1000000 };
  static const struct {
    uint32_t dtype, kind;
    double a, b, mean, sd, most;
  } rows[] = {
      {GB_DTYPE_F32, GB_FILL_UNIFORM, -1, 3, 1, 1.1547005, 2},
      {GB_DTYPE_F32, GB_FILL_NORMAL, 2, 0.5, 2, 0.5, 3.47 * 0.5},
      {GB_DTYPE_BF16, GB_FILL_NORMAL, 0, 1, 0, 1, 3.47},
      {GB_DTYPE_I32, GB_FILL_UNIFORM, -10, 11, 0, 6.0553007, 10},
      {GB_DTYPE_I32, GB_FILL_NORMAL, 0, 1000, 0, 1000, 3470},
      {GB_DTYPE_U8, GB_FILL_UNIFORM, 0, 256, 127.5, 73.9002, 127.5},
  };
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    struct fill fill = {rows[r].dtype, rows[r].kind, rows[r].a, rows[r].b, 11, r};
    double sum = 0, squares = 0, most = 0, last = 0, product = 0;
    for (uint64_t i = 0; i < N; i++) {
      double d = fill_value(&fill, key_of(&fill), i) - rows[r].mean;
      sum += d;
      squares += d * d;
      product += d * last;
      most = fmax(most, fabs(d));
      last = d;
    }
    double sd = rows[r].sd;
    ASSERT_NEAR(sum / N, 0, 5 * sd / 1000);
    ASSERT_NEAR(sqrt(squares / N), sd, 0.005 * sd);
    ASSERT_NEAR(product / N, 0, 5 * sd * sd / 1000);
    ASSERT_TRUE(most <= rows[r].most);
  }
}

static void integers_take_every_value(void) {
  struct fill fill = {GB_DTYPE_I32, GB_FILL_UNIFORM, -3, 4, 1, 1};
  int seen[7] = {0};
  for (uint64_t i = 0; i < 7000; i++) {
    double value = fill_value(&fill, key_of(&fill), i);
    if (value < -3 || value > 3 || value != floor(value)) UNIT_FAIL("%g is outside", value);
    seen[(int)value + 3]++;
  }
  for (int i = 0; i < 7; i++)
    ASSERT_NEAR(seen[i], 1000, 150);
  struct fill wide = {GB_DTYPE_I32, GB_FILL_UNIFORM, -2147483648.0, 2147483648.0, 1, 1};
  double lowest = 0, highest = 0;
  for (uint64_t i = 0; i < 10000; i++) {
    lowest = fmin(lowest, fill_value(&wide, 5, i));
    highest = fmax(highest, fill_value(&wide, 5, i));
  }
  ASSERT_TRUE(lowest < -2.1e9 && highest > 2.1e9);
}

/* Filling a range gives the same values as filling each element. With some of the bounds many values are subnormal,
 * rounded out of bounds, or too large. */
static void ranges_are_their_elements(void) {
  static const double bounds[][2] = {{-1, 1},      {0, 1},       {-0.0, 0x1p-20}, {-0.3, 0.7},       {1, 1.001},
                                     {5, 5},       {3, 1},       {0, 1e-38},      {-6e-5, 6e-5},     {-7e4, 7e4},
                                     {6e4, 65504}, {1e38, 4e38}, {0, 1e-310},     {-1e308, 1.5e308}, {1e307, 1e308}};
  enum { BOUNDS = sizeof bounds / sizeof bounds[0], MOST = 1000 };
  static const uint32_t types[] = {GB_DTYPE_F64,  GB_DTYPE_F32, GB_DTYPE_F16, GB_DTYPE_BF16,
                                   GB_DTYPE_E4M3, GB_DTYPE_I32, GB_DTYPE_U8};
  unsigned char filled[MOST * 8 + 1], one[8];
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    for (size_t n = 0; n < 2 * (size_t)BOUNDS; n++) {
      const uint32_t kind = n % 2 == 0 ? GB_FILL_UNIFORM : GB_FILL_NORMAL;
      const struct fill fill = {types[t], kind, bounds[n / 2][0], bounds[n / 2][1], 7, n};
      const uint64_t size = dtype_bytes(types[t]), count = n % 3 == 0 ? MOST : 64 * (n % 3) + n;
      fill_range(&fill, 11 * n, count, filled + n % 2);
      for (uint64_t i = 0; i < count; i++) {
        fill_put(types[t], one, 0, fill_element(&fill, key_of(&fill), 11 * n + i));
        if (memcmp(one, filled + n % 2 + i * size, size) != 0)
          UNIT_FAIL("%s kind %u from %g to %g: element %llu", dtype_name(types[t]), kind, fill.a, fill.b,
                    (unsigned long long)i);
      }
    }
  UNIT_PASS();
}

static void empty_ranges_are_harmless(void) {
  struct fill fill = {GB_DTYPE_I32, GB_FILL_UNIFORM, 5, 5, 1, 1};
  ASSERT_NEAR(fill_value(&fill, 1, 1), 5, 0);
  fill.dtype = GB_DTYPE_U8;
  fill.a = 300;
  ASSERT_NEAR(fill_value(&fill, 1, 1), 255, 0);
  fill = (struct fill){GB_DTYPE_F32, GB_FILL_NORMAL, 1.5, 0, 1, 1};
  ASSERT_NEAR(fill_value(&fill, 1, 1), 1.5, 0);
}

static void streams_differ(void) {
  struct fill fill = {GB_DTYPE_F64, GB_FILL_UNIFORM, 0, 1, 1, 1};
  double product = 0;
  for (uint64_t i = 0; i < 100000; i++)
    product += (fill_value(&fill, rng_key(1, 1), i) - 0.5) * (fill_value(&fill, rng_key(1, 2), i) - 0.5) +
               (fill_value(&fill, rng_key(2, 1), i) - 0.5) * (fill_value(&fill, rng_key(1, 2), i) - 0.5);
  ASSERT_NEAR(product / 100000, 0, 5 * sqrt(2) / 12 / sqrt(100000));
}

UNIT_MAIN("fill", UNIT_TEST(bits_are_golden), UNIT_TEST(steps_round_once_each), UNIT_TEST(uniform_stays_inside),
          UNIT_TEST(uniform_reaches_both_ends), UNIT_TEST(nothing_overflows), UNIT_TEST(moments_are_right),
          UNIT_TEST(integers_take_every_value), UNIT_TEST(ranges_are_their_elements),
          UNIT_TEST(empty_ranges_are_harmless), UNIT_TEST(streams_differ))
