/* Tests that memory operations give the same bits on every device: on the CPU, and with the argument `gpu` on a GPU.
 * Exits with 77 if there is no GPU. */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/device.h"
#include "model/data/dtype.h"
#include "model/data/fill.h"
#include "model/data/fill_range.h"
#include "unit.h"

static struct device *device;
static struct err err;

static void *alloc(size_t bytes) {
  void *memory = device->ops->alloc(device, MEMORY_DEVICE, bytes);
  ASSERT_TRUE(memory != NULL);
  return memory;
}

static void read_back(void *to, const void *from, size_t bytes) {
  ASSERT_EQ_INT(device->ops->copy(device, to, from, bytes, &err), 0);
}

/* Fills odd numbers of elements at addresses aligned to a single element, and checks that neighbouring memory stays
 * unchanged. */
static void fill_as_stated(const struct fill *fill, uint64_t count, size_t before) {
  const size_t size = dtype_bytes(fill->dtype), bytes = (size_t)count * size, whole = bytes + 2 * before * size;
  unsigned char *there = alloc(whole), *expected = xcalloc(whole, 1), *found = xcalloc(whole, 1);
  memset(expected, 0xA5, whole);
  fill_range(fill, 0, count, expected + before * size);
  ASSERT_EQ_INT(device->ops->set(device, there, 0xA5, whole, &err), 0);
  ASSERT_EQ_INT(device->ops->fill(device, there + before * size, count, fill, &err), 0);
  read_back(found, there, whole);
  if (memcmp(found, expected, whole) != 0)
    UNIT_FAIL("dtype %u, kind %u, %g %g, %llu elements differ", fill->dtype, fill->kind, fill->a, fill->b,
              (unsigned long long)count);
  device->ops->free(device, MEMORY_DEVICE, there);
  free(expected);
  free(found);
}

static uint64_t many = 100003; /* more on a GPU, so that each thread has several */

static void fills(void) {
  static const double ranges[][2] = {{0, 1}, {-3, 7}, {1, 1.0001}, {-1e-7, 1e-7}, {200, 1e30}};
  for (uint32_t dtype = GB_DTYPE_F64; dtype <= GB_DTYPE_E4M3; dtype++)
    for (uint32_t kind = GB_FILL_UNIFORM; kind <= GB_FILL_NORMAL; kind++)
      for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const struct fill fill = {dtype, kind, ranges[i][0], ranges[i][1], 77 + i, i};
        fill_as_stated(&fill, 1, 3);
        fill_as_stated(&fill, many, 1);
      }
}

static void single_elements(void) {
  enum { COUNT = PLACES_MOST, ELEMENTS = 100000 };
  for (uint32_t dtype = GB_DTYPE_F64; dtype <= GB_DTYPE_E4M3; dtype++) {
    const size_t size = dtype_bytes(dtype);
    const struct fill fill = {dtype, GB_FILL_UNIFORM, 0, 100, 5, 1};
    struct places places = {.count = COUNT};
    const struct places none = {0};
    unsigned char *from = alloc(ELEMENTS * size), *to = alloc(COUNT * size), *all = xcalloc(ELEMENTS, size);
    unsigned char found[COUNT * 8];
    for (uint32_t i = 0; i < COUNT; i++)
      places.at[i] = i == 0 ? ELEMENTS - 1 : rng_bits(3, i) % ELEMENTS;
    ASSERT_EQ_INT(device->ops->fill(device, from, ELEMENTS, &fill, &err), 0);
    ASSERT_EQ_INT(device->ops->gather(device, to, from, size, &places, &err), 0);
    ASSERT_EQ_INT(device->ops->gather(device, to, from, size, &none, &err), 0);
    read_back(all, from, ELEMENTS * size);
    read_back(found, to, COUNT * size);
    for (uint32_t i = 0; i < COUNT; i++)
      ASSERT_EQ_INT(memcmp(found + i * size, all + places.at[i] * size, size), 0);
    device->ops->free(device, MEMORY_DEVICE, from);
    device->ops->free(device, MEMORY_DEVICE, to);
    free(all);
  }
}

/* The order of elements changes in each block, including a partial last block. */
static void shuffled_elements(void) {
  enum { ELEMENTS = 2 * SHUFFLE_BLOCK + 777, WHOLE = 3 * SHUFFLE_BLOCK };
  for (uint32_t dtype = GB_DTYPE_F64; dtype <= GB_DTYPE_E4M3; dtype++) {
    const size_t size = dtype_bytes(dtype);
    const struct fill fill = {dtype, GB_FILL_UNIFORM, 0, 100, 5, 1};
    const struct shuffle order = {2 * 617 + 1, 4000};
    unsigned char *from = alloc(WHOLE * size), *to = alloc(WHOLE * size);
    unsigned char *all = xcalloc(WHOLE, size), *found = xcalloc(WHOLE, size);
    size_t wrong = 0;
    ASSERT_EQ_INT(device->ops->fill(device, from, WHOLE, &fill, &err), 0);
    ASSERT_EQ_INT(device->ops->set(device, to, 0xFF, WHOLE * size, &err), 0);
    ASSERT_EQ_INT(device->ops->shuffle(device, to, from, size, ELEMENTS, order, &err), 0);
    read_back(all, from, WHOLE * size);
    read_back(found, to, WHOLE * size);
    for (uint64_t i = 0; i < ELEMENTS; i++) {
      const uint64_t at = i - i % SHUFFLE_BLOCK + (i * order.factor + order.offset) % SHUFFLE_BLOCK;
      wrong += memcmp(found + i * size, all + at * size, size) != 0;
    }
    for (size_t i = ELEMENTS * size; i < WHOLE * size; i++)
      wrong += found[i] != 0xFF;
    ASSERT_EQ_INT(wrong, 0);
    device->ops->free(device, MEMORY_DEVICE, from);
    device->ops->free(device, MEMORY_DEVICE, to);
    free(found);
    free(all);
  }
}

/* Flips bits of the elements at the chosen places. Each of these elements must change, and no other one. */
static void planted_elements(void) {
  enum { ELEMENTS = 5000, COUNT = 200 };
  for (size_t size = 1; size <= 8; size *= 2) {
    struct places places = {.count = COUNT};
    unsigned char *memory = alloc(ELEMENTS * size), *to = alloc(COUNT * size);
    unsigned char found[ELEMENTS * 8], copy[COUNT * 8];
    const uint64_t flipped = UINT64_C(0x8040201008040201);
    for (uint32_t i = 0; i < COUNT; i++)
      places.at[i] = i * 25;
    ASSERT_EQ_INT(device->ops->set(device, memory, 0x11, ELEMENTS * size, &err), 0);
    ASSERT_EQ_INT(device->ops->plant(device, to, memory, size, &places, UINT64_MAX, flipped, &err), 0);
    read_back(found, memory, ELEMENTS * size);
    read_back(copy, to, COUNT * size);
    for (size_t i = 0; i < ELEMENTS * size; i++)
      ASSERT_EQ_INT(found[i], i / size % 25 == 0 ? 0x11 ^ (unsigned char)(flipped >> 8 * (i % size)) : 0x11);
    for (size_t i = 0; i < COUNT * size; i++)
      ASSERT_EQ_INT(copy[i], found[i / size * 25 * size + i % size]);
    ASSERT_EQ_INT(device->ops->plant(device, to, memory, size, &places, 0, UINT64_MAX, &err), 0);
    read_back(copy, to, COUNT * size);
    for (size_t i = 0; i < COUNT * size; i++)
      ASSERT_EQ_INT(copy[i], 0xFF);
    device->ops->free(device, MEMORY_DEVICE, memory);
    device->ops->free(device, MEMORY_DEVICE, to);
  }
}

/* ---- Memory mapped at a second address, on a GPU ---- */

/* Declarations copied from cuda.h, so that the test builds without CUDA. */
struct allocation_property {
  int type, handle_types, location_type, location;
  void *security;
  unsigned char flags[8];
};

struct access {
  int location_type, location, flags;
};

static void *driver(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *function = library != NULL ? dlsym(library, name) : NULL;
  if (function == NULL) UNIT_FAIL("%s is not there", name);
  return function;
}

typedef unsigned long long word;

static void call_driver(const char *name, word a, word b, word c, word d, word e) {
  int (*function)(word, word, word, word, word);
  void *address = driver(name);
  memcpy(&function, &address, sizeof function);
  if (address != NULL) ASSERT_EQ_INT(function(a, b, c, d, e), 0);
}

static word at(const void *memory) {
  return (word)(uintptr_t)memory;
}

/* GPU memory that a plugin maps at a second address is recognised, because values written there would also appear at
 * the first address. */
static void mapped_memory_is_told(void) {
  enum { PINNED = 1, ON_DEVICE = 1, READ_WRITE = 3, BYTES = 2 << 20 };
  if (strcmp(device->facts.backend, "cuda") != 0) return;
  struct allocation_property property = {.type = PINNED, .location_type = ON_DEVICE};
  const struct access access = {ON_DEVICE, 0, READ_WRITE};
  word handle = 0, address = 0;
  void *own = alloc(BYTES), *pinned = device->ops->alloc(device, MEMORY_PINNED, BYTES);
  call_driver("cuMemCreate", at(&handle), BYTES, at(&property), 0, 0);
  call_driver("cuMemAddressReserve", at(&address), BYTES, 0, 0, 0);
  call_driver("cuMemMap", address, BYTES, 0, handle, 0);
  call_driver("cuMemSetAccess", address, BYTES, at(&access), 1, 0);
  for (uint64_t key = 0; key < 3; key++) {
    ASSERT_TRUE(device->ops->absent(device, own, BYTES, key) == NULL);
    ASSERT_TRUE(device->ops->absent(device, pinned, BYTES, key) == NULL);
    ASSERT_TRUE(device->ops->absent(device, (void *)(uintptr_t)address, BYTES, key) != NULL);
  }
  device->ops->free(device, MEMORY_PINNED, pinned);
  device->ops->free(device, MEMORY_DEVICE, own);
  ASSERT_TRUE(device->ops->absent(device, own, BYTES, 1) != NULL);
}

int main(int argc, char **argv) {
  static const struct unit_test tests[] = {UNIT_TEST(fills), UNIT_TEST(single_elements), UNIT_TEST(shuffled_elements),
                                           UNIT_TEST(planted_elements), UNIT_TEST(mapped_memory_is_told)};
  const int gpu = argc > 1 && strcmp(argv[1], "gpu") == 0;
  if (gpu) many = 1000003;
  if (device_open(gpu ? "cuda:0" : "cpu", &device, &err) != 0) {
    printf("skipped: %s\n", err.text);
    return gpu ? 77 : 1;
  }
  const int rc = unit_run("memory", tests, sizeof tests / sizeof tests[0]);
  device->ops->close(device);
  return rc;
}
