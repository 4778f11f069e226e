#include "model/data/dtype.h"

#include "model/data/fill.h"
#include "unit.h"

static void sizes_and_names(void) {
  static const size_t bytes[] = {0, 8, 4, 2, 2, 4, 1, 1, 0};
  static const char *const names[] = {"?", "f64", "f32", "f16", "bf16", "i32", "u8", "e4m3", "?"};
  for (uint32_t i = 0; i < 9; i++) {
    ASSERT_EQ_INT(dtype_bytes(i), bytes[i]);
    ASSERT_EQ_STR(dtype_name(i), names[i]);
  }
  ASSERT_EQ_STR(dtype_name(UINT32_MAX), "?");
  ASSERT_NEAR(dtype_roundoff(GB_DTYPE_F64), 0x1p-53, 0);
  ASSERT_NEAR(dtype_roundoff(GB_DTYPE_F32), 0x1p-24, 0);
  ASSERT_NEAR(dtype_roundoff(GB_DTYPE_F16), 0x1p-11, 0);
  ASSERT_NEAR(dtype_roundoff(GB_DTYPE_BF16), 0x1p-8, 0);
  ASSERT_NEAR(dtype_roundoff(GB_DTYPE_E4M3), 0x1p-4, 0);
  ASSERT_NEAR(dtype_roundoff(GB_DTYPE_I32), 0, 0);
}

/* Every code of the 16-bit types decodes to a value that encodes to itself, and positive codes are in order. */
static void short_codes_round_trip(void) {
  for (uint32_t dtype = GB_DTYPE_F16; dtype <= GB_DTYPE_BF16; dtype++) {
    int wrong = 0;
    for (uint32_t code = 0; code < 0x10000; code++) {
      uint16_t stored = (uint16_t)code;
      double value = dtype_load(dtype, &stored, 0);
      bool nan = (code & 0x7FFF) > fill_infinity(dtype);
      if (nan != (isnan(value) != 0) || (!nan && fill_encode(dtype, value) != code)) wrong++;
      if (!nan && code > 0 && code < 0x8000 && !(value > fill_decode(dtype, code - 1))) wrong++;
    }
    ASSERT_EQ_INT(wrong, 0);
  }
}

/* Every code of e4m3 matches the definition: bias 7, values up to the largest exponent, and NaN only for S.1111.111. */
static void e4m3_codes(void) {
  int wrong = 0;
  for (uint32_t code = 0; code < 0x100; code++) {
    unsigned char stored = (unsigned char)code;
    int exponent = code >> 3 & 15, mantissa = code & 7;
    double magnitude = exponent == 0 ? ldexp(mantissa, -9) : ldexp(8 + mantissa, exponent - 10);
    double expected = (code & 0x80) != 0 ? -magnitude : magnitude, value = dtype_load(GB_DTYPE_E4M3, &stored, 0);
    bool nan = (code & 0x7F) == 0x7F;
    if (nan ? !isnan(value) : value != expected || signbit(value) != signbit(expected)) wrong++;
    if (!nan && fill_encode(GB_DTYPE_E4M3, value) != code) wrong++;
    if (nan && fill_encode(GB_DTYPE_E4M3, value) != (code | 0x7F)) wrong++;
  }
  ASSERT_EQ_INT(wrong, 0);
  ASSERT_NEAR(fill_decode(GB_DTYPE_E4M3, 0x7E), 448, 0);
  ASSERT_NEAR(fill_decode(GB_DTYPE_E4M3, 0x01), 0x1p-9, 0);
}

/* Loading many values gives the same bits as loading each, for every type and alignment. */
static void many_load_as_one(void) {
  enum { N = 67 };
  unsigned char storage[8 * N + 1];
  double values[N + 1];
  for (size_t i = 0; i < sizeof storage; i++)
    storage[i] = (unsigned char)rng_bits(1, i);
  for (uint32_t dtype = GB_DTYPE_F64; dtype_bytes(dtype) > 0; dtype++)
    for (uint64_t count = 0; count <= N; count += count < 20 ? 1 : 47) {
      int wrong = 0;
      values[count] = 42;
      dtype_load_all(dtype, storage + 1, count, values);
      for (uint64_t i = 0; i < count; i++)
        wrong += fill_bits_of(values[i]) != fill_bits_of(dtype_load(dtype, storage + 1, i));
      ASSERT_EQ_INT(wrong, 0);
      ASSERT_NEAR(values[count], 42, 0);
    }
}

static void rounds_to_nearest_even(void) {
  static const struct {
    uint32_t dtype;
    double value;
    uint64_t code;
  } rows[] = {
      {GB_DTYPE_F16, 1, 0x3C00},
      {GB_DTYPE_F16, -2, 0xC000},
      {GB_DTYPE_F16, 65504, 0x7BFF},
      {GB_DTYPE_F16, 65519.999, 0x7BFF},
      {GB_DTYPE_F16, 65520, 0x7C00},
      {GB_DTYPE_F16, -1e300, 0xFC00},
      {GB_DTYPE_F16, 1 + 0x1p-11, 0x3C00}, /* ties */
      {GB_DTYPE_F16, 1 + 3 * 0x1p-11, 0x3C02},
      {GB_DTYPE_F16, 1 + 0x1p-11 + 0x1p-40, 0x3C01}, /* above a tie by less than a float can hold */
      {GB_DTYPE_F16, 0x1p-24, 0x0001},
      {GB_DTYPE_F16, 0x1p-25, 0x0000},
      {GB_DTYPE_F16, 0x1.000002p-25, 0x0001},
      {GB_DTYPE_F16, 0x1.8p-24, 0x0002},
      {GB_DTYPE_F16, 0x1.ffcp-15, 0x03FF + 1}, /* the largest subnormal rounds up into the normals */
      {GB_DTYPE_F16, -0.0, 0x8000},
      {GB_DTYPE_F16, 0x1p-1074, 0x0000},
      {GB_DTYPE_BF16, 1, 0x3F80},
      {GB_DTYPE_BF16, 1 + 0x1p-8, 0x3F80},
      {GB_DTYPE_BF16, 1 + 3 * 0x1p-8, 0x3F82},
      {GB_DTYPE_BF16, 3.3895313892515355e38, 0x7F7F},
      {GB_DTYPE_BF16, 3.4e38, 0x7F80},
      {GB_DTYPE_BF16, 0x1p-133, 0x0001},
      {GB_DTYPE_E4M3, 1, 0x38},
      {GB_DTYPE_E4M3, -1.0625, 0xB8}, /* ties */
      {GB_DTYPE_E4M3, 1.1875, 0x3A},
      {GB_DTYPE_E4M3, 1.0625 + 0x1p-40, 0x39},
      {GB_DTYPE_E4M3, 448, 0x7E},
      {GB_DTYPE_E4M3, 464, 0x7E},
      {GB_DTYPE_E4M3, 464.001, 0x7F}, /* becomes NaN, because the type has no infinity */
      {GB_DTYPE_E4M3, -1e300, 0xFF},
      {GB_DTYPE_E4M3, INFINITY, 0x7F},
      {GB_DTYPE_E4M3, 0x1p-10, 0x00},
      {GB_DTYPE_E4M3, 0x1.8p-9, 0x02},
      {GB_DTYPE_E4M3, 0x1.ep-7, 0x08}, /* the largest subnormal rounds up into the normals */
      {GB_DTYPE_F32, 0x1p-150, 0x0},
      {GB_DTYPE_F32, 0x1.8p-149, 0x2},
      {GB_DTYPE_F32, INFINITY, 0x7F800000},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (fill_encode(rows[i].dtype, rows[i].value) != rows[i].code)
      UNIT_FAIL("%s of %a is %llx, expected %llx", dtype_name(rows[i].dtype), rows[i].value,
                (unsigned long long)fill_encode(rows[i].dtype, rows[i].value), (unsigned long long)rows[i].code);
  UNIT_PASS();
}

/* Returns a random double with an exponent within +-`exponents` / 2. */
static double anything(uint64_t i, int exponents) {
  uint64_t bits = rng_bits(5, i);
  double value = ldexp(1 + (double)(bits >> 12) * 0x1p-52, (int)(rng_bits(6, i) % (uint64_t)exponents) - exponents / 2);
  return (bits & 1) != 0 ? -value : value;
}

static void f32_is_the_compilers(void) {
  int wrong = 0;
  for (uint64_t i = 0; i < 300000; i++) {
    double value = anything(i, 320);
    float stored = (float)value;
    uint32_t code;
    memcpy(&code, &stored, sizeof code);
    double loaded = dtype_load(GB_DTYPE_F32, &stored, 0), expected = stored;
    if (fill_encode(GB_DTYPE_F32, value) != code || memcmp(&loaded, &expected, sizeof loaded) != 0) wrong++;
  }
  ASSERT_EQ_INT(wrong, 0);
}

static void short_types_are_nearest(void) {
  int wrong = 0;
  for (uint64_t i = 0; i < 200000; i++) {
    static const uint32_t types[] = {GB_DTYPE_F16, GB_DTYPE_BF16, GB_DTYPE_E4M3};
    static const int exponents[] = {56, 280, 30};
    uint32_t dtype = types[i % 3];
    double value = anything(i, exponents[i % 3]);
    uint64_t code = fill_encode(dtype, value);
    double here = fill_decode(dtype, code);
    if (!isfinite(here) || fabs(here) == 448) continue; /* has no neighbour above */
    double above = fill_decode(dtype, fill_step(dtype, code, true));
    double below = fill_decode(dtype, fill_step(dtype, code, false));
    double error = fabs(here - value);
    bool tie = fabs(above - value) == error || fabs(below - value) == error; /* differences of neighbours are exact */
    if (error > fabs(above - value) || error > fabs(below - value) || (tie && (code & 1) != 0)) wrong++;
    if (!(below < here && here < above)) wrong++;
  }
  ASSERT_EQ_INT(wrong, 0);
}

static void loads_integers(void) {
  int32_t integers[] = {0, -1, INT32_MAX, INT32_MIN};
  unsigned char bytes[] = {0, 255};
  for (uint64_t i = 0; i < 4; i++)
    ASSERT_NEAR(dtype_load(GB_DTYPE_I32, integers, i), integers[i], 0);
  ASSERT_NEAR(dtype_load(GB_DTYPE_U8, bytes, 1), 255, 0);
  ASSERT_TRUE(isnan(dtype_load(0, bytes, 0)));
}

static void needs_no_alignment(void) {
  unsigned char storage[64];
  for (uint32_t dtype = GB_DTYPE_F64; dtype <= GB_DTYPE_E4M3; dtype++) {
    memset(storage, 0x55, sizeof storage);
    fill_store(dtype, storage + 1, 2, 3);
    ASSERT_NEAR(dtype_load(dtype, storage + 1, 2), 3, 0);
    size_t size = dtype_bytes(dtype);
    ASSERT_EQ_INT(storage[2 * size], 0x55);
    ASSERT_EQ_INT(storage[1 + 3 * size], 0x55);
  }
}

static void integers_saturate(void) {
  int32_t integer;
  unsigned char byte;
  static const double values[] = {-1e300, 1e300, 2.5, 3.5, -0.5, NAN};
  static const int32_t integers[] = {INT32_MIN, INT32_MAX, 2, 4, 0, 0};
  static const int bytes[] = {0, 255, 2, 4, 0, 0};
  for (size_t i = 0; i < 6; i++) {
    fill_store(GB_DTYPE_I32, &integer, 0, values[i]);
    fill_store(GB_DTYPE_U8, &byte, 0, values[i]);
    ASSERT_EQ_INT(integer, integers[i]);
    ASSERT_EQ_INT(byte, bytes[i]);
  }
}

UNIT_MAIN("dtype", UNIT_TEST(sizes_and_names), UNIT_TEST(short_codes_round_trip), UNIT_TEST(e4m3_codes),
          UNIT_TEST(many_load_as_one), UNIT_TEST(rounds_to_nearest_even), UNIT_TEST(f32_is_the_compilers),
          UNIT_TEST(short_types_are_nearest), UNIT_TEST(loads_integers), UNIT_TEST(needs_no_alignment),
          UNIT_TEST(integers_saturate))
