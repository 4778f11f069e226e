/* Storage types. The conversions are those of model/data/fill.h, which also run on the device. */
#include "model/data/dtype.h"

#include "model/data/fill.h"

size_t dtype_bytes(uint32_t dtype) {
  return fill_size(dtype);
}

const char *dtype_name(uint32_t dtype) {
  static const char *const names[] = {"?", "f64", "f32", "f16", "bf16", "i32", "u8", "e4m3"};
  return names[dtype < sizeof names / sizeof names[0] ? dtype : 0];
}

#define KNOWN static inline __attribute__((always_inline))

KNOWN double load(uint32_t dtype, const void *storage, uint64_t index) {
  size_t size = fill_size(dtype);
  const unsigned char *from = (const unsigned char *)storage + index * size;
  uint64_t code64;
  uint32_t code32;
  uint16_t code16;
  int32_t integer;
  switch (dtype) {
    case GB_DTYPE_F64:
      memcpy(&code64, from, 8);
      return fill_decode(dtype, code64);
    case GB_DTYPE_F32:
      memcpy(&code32, from, 4);
      return fill_decode(dtype, code32);
    case GB_DTYPE_F16:
    case GB_DTYPE_BF16:
      memcpy(&code16, from, 2);
      return fill_decode(dtype, code16);
    case GB_DTYPE_I32:
      memcpy(&integer, from, 4);
      return integer;
    case GB_DTYPE_E4M3:
      return fill_decode(dtype, *from);
    case GB_DTYPE_U8:
      return *from;
    default:
      return NAN;
  }
}

double dtype_load(uint32_t dtype, const void *storage, uint64_t index) {
  return load(dtype, storage, index);
}

double dtype_round(uint32_t dtype, double value) {
  uint64_t storage = 0;
  fill_store(dtype, &storage, 0, value);
  return load(dtype, &storage, 0);
}

/* Inlined into callers where `dtype` is a constant, so that the compiler removes the branches on it. */
KNOWN void load_all(uint32_t dtype, const void *storage, uint64_t count, double *values) {
  for (uint64_t i = 0; i < count; i++)
    values[i] = load(dtype, storage, i);
}

__attribute__((flatten)) void dtype_load_all(uint32_t dtype, const void *storage, uint64_t count, double *values) {
  switch (dtype) {
    case GB_DTYPE_F64:
      load_all(GB_DTYPE_F64, storage, count, values);
      break;
    case GB_DTYPE_F32:
      load_all(GB_DTYPE_F32, storage, count, values);
      break;
    case GB_DTYPE_F16:
      load_all(GB_DTYPE_F16, storage, count, values);
      break;
    case GB_DTYPE_BF16:
      load_all(GB_DTYPE_BF16, storage, count, values);
      break;
    default:
      load_all(dtype, storage, count, values);
  }
}

double dtype_roundoff(uint32_t dtype) {
  int mantissa = fill_mantissa(dtype);
  return mantissa != 0 ? ldexp(1, -mantissa - 1) : 0;
}
