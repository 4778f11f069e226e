/* Tests the modules of data_pipeline that need no device: splitting files, the order of its pipeline, preprocessing. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bulk.h"
#include "digest.h"
#include "flow.h"
#include "layout.h"
#include "model/data/dtype.h"
#include "model/data/fill.h"
#include "pool.h"
#include "preprocess.h"
#include "unit.h"

/* ---- Files ---- */

static void last_chunk_is_shorter(void) {
  const struct layout layout = layout_of(100, 10, 4);
  ASSERT_EQ_INT(layout.chunks, 3);
  ASSERT_EQ_INT(layout_bytes(&layout), 1000);
  ASSERT_EQ_INT(layout_chunk_at(&layout, 2), 800);
  ASSERT_EQ_INT(layout_chunk_size(&layout, 1), 400);
  ASSERT_EQ_INT(layout_chunk_size(&layout, 2), 200);
  const struct layout whole = layout_of(7, 8, 8);
  ASSERT_EQ_INT(whole.chunks, 1);
  ASSERT_EQ_INT(layout_chunk_size(&whole, 0), 56);
}

/* Replaces XXH3, because its header may be missing. */
uint64_t digest_at(uint64_t place, const void *data, size_t bytes) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < bytes; i++)
    sum = (sum ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
  return sum * (2 * place + 1);
}

/* The checksum does not depend on the number of threads or parts, but on every byte and its position. */
static void checksums_are_those_of_places(void) {
  enum { PIECES = 5, ODD = 77 };
  const uint64_t bytes = PIECES * BULK_PIECE + ODD, part = 2 * BULK_PIECE;
  char *memory = malloc(bytes);
  struct pool *pool = pool_open(3);
  ASSERT_TRUE(memory != NULL && pool != NULL);
  for (uint64_t i = 0; i < bytes; i++)
    memory[i] = (char)(i * i >> 7);
  const uint64_t sum = bulk_digest(pool, 1, memory, bytes, 0);
  ASSERT_TRUE(bulk_digest(pool, 3, memory, bytes, 0) == sum);
  ASSERT_TRUE(bulk_digest(pool, 2, memory, part, 0) + bulk_digest(pool, 3, memory + part, bytes - part, part) == sum);
  memory[bytes - 1] ^= 1;
  ASSERT_TRUE(bulk_digest(pool, 3, memory, bytes, 0) != sum);
  memset(memory, 1, BULK_PIECE);
  memset(memory + BULK_PIECE, 2, BULK_PIECE);
  const uint64_t before = bulk_digest(pool, 2, memory, part, 0);
  memset(memory, 2, BULK_PIECE);
  memset(memory + BULK_PIECE, 1, BULK_PIECE);
  ASSERT_TRUE(bulk_digest(pool, 2, memory, part, 0) != before);
  pool_close(pool);
  free(memory);
}

static void poison_is_everywhere(void) {
  enum { BYTES = 100003 };
  static char memory[BYTES + 1];
  struct pool *pool = pool_open(3);
  ASSERT_TRUE(pool != NULL);
  bulk_poison(pool, 3, memory, BYTES);
  for (int i = 0; i < BYTES; i++)
    ASSERT_EQ_INT((unsigned char)memory[i], 0xA5);
  ASSERT_EQ_INT(memory[BYTES], 0);
  pool_close(pool);
}

/* Every byte is in one part, and parts begin at page boundaries. */
static void parts_cover_a_piece(void) {
  static const uint64_t sizes[] = {1, 4095, 4096, 4097, 100000, 1 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (int parts = 1; parts <= 17; parts += 4) {
      uint64_t until = 0;
      for (int part = 0; part < parts; part++) {
        uint64_t from, to;
        layout_part(sizes[i], part, parts, &from, &to);
        ASSERT_EQ_INT(from, until);
        ASSERT_TRUE(to >= from && (from % 4096 == 0 || from == sizes[i]));
        until = to;
      }
      ASSERT_EQ_INT(until, sizes[i]);
    }
}

/* ---- The pipeline's order ---- */

enum { CHUNKS = 300, THREADS = 3, STAGES = 3, PARTS = 2 };

struct ring {
  struct flow flow;
  struct flow_time times[STAGES][CHUNKS];
  atomic_int taken[STAGES][CHUNKS]; /* parts that are being worked on, or have been */
  atomic_int given[STAGES][CHUNKS]; /* parts that are done */
  atomic_int early, crowded;        /* parts taken before the previous stage was done, and chunks beyond the limit */
  atomic_llong entered, left;
};

static int64_t ticks(void) {
  static atomic_llong tick;
  return atomic_fetch_add(&tick, 1);
}

static void stage_thread(void *context, int index) {
  struct ring *ring = context;
  const int stage = index % STAGES;
  int64_t chunk;
  int part;
  while (flow_take(&ring->flow, stage, &chunk, &part)) {
    if (stage > 0 && atomic_load(&ring->given[stage - 1][chunk]) != PARTS) atomic_fetch_add(&ring->early, 1);
    if (stage == 0 && part == 0) {
      const long long under_way = atomic_fetch_add(&ring->entered, 1) + 1 - atomic_load(&ring->left);
      if (under_way > ring->flow.depth) atomic_fetch_add(&ring->crowded, 1);
    }
    atomic_fetch_add(&ring->taken[stage][chunk], 1);
    const bool last = atomic_fetch_add(&ring->given[stage][chunk], 1) + 1 == PARTS;
    if (stage == STAGES - 1 && last) atomic_fetch_add(&ring->left, 1);
    flow_give(&ring->flow, stage, chunk);
  }
}

static void flow_through(int depth) {
  struct ring *ring = calloc(1, sizeof *ring);
  struct pool *pool = pool_open(STAGES * THREADS);
  ASSERT_TRUE(ring != NULL && pool != NULL);
  if (ring == NULL || pool == NULL) return;
  flow_open(&ring->flow, STAGES, depth, CHUNKS, ticks);
  for (int i = 0; i < STAGES; i++) {
    ring->flow.stage[i].parts = PARTS;
    ring->flow.stage[i].times = ring->times[i];
  }
  pool_run(pool, STAGES * THREADS, stage_thread, ring);
  int wrong = 0;
  for (int i = 0; i < STAGES; i++)
    for (int chunk = 0; chunk < CHUNKS; chunk++)
      wrong += atomic_load(&ring->taken[i][chunk]) != PARTS ||
               (i > 0 && ring->times[i][chunk].begin_ns < ring->times[i - 1][chunk].end_ns);
  ASSERT_EQ_INT(wrong, 0);
  ASSERT_EQ_INT(atomic_load(&ring->early), 0);
  ASSERT_EQ_INT(atomic_load(&ring->crowded), 0);
  flow_close(&ring->flow);
  pool_close(pool);
  free(ring);
}

static void chunks_pass_in_order(void) {
  flow_through(1);
  flow_through(2);
  flow_through(7);
  flow_through(FLOW_DEPTH_MAX);
}

struct stopping {
  struct flow flow;
  struct flow_time times[2][4];
};

/* The thread of the second stage stops the flow while that of the first one waits. */
static void stopping_thread(void *context, int index) {
  struct stopping *s = context;
  int64_t chunk;
  int part;
  while (flow_take(&s->flow, index, &chunk, &part)) {
    if (index == 1) {
      flow_stop(&s->flow);
      return;
    }
    flow_give(&s->flow, index, chunk);
  }
}

static void a_stop_lets_nobody_wait(void) {
  struct stopping s;
  struct pool *pool = pool_open(2);
  flow_open(&s.flow, 2, 1, 4, ticks);
  s.flow.stage[0].times = s.times[0];
  s.flow.stage[1].times = s.times[1];
  pool_run(pool, 2, stopping_thread, &s); /* must return */
  ASSERT_EQ_INT(s.flow.stage[1].done, 0);
  flow_close(&s.flow);
  pool_close(pool);
}

static void busy_time_counts_once(void) {
  const struct flow_time times[] = {{0, 10}, {5, 15}, {6, 8}, {20, 30}};
  ASSERT_EQ_INT(flow_busy_ns(times, 4), 25);
  ASSERT_EQ_INT(flow_busy_ns(times, 1), 10);
  ASSERT_EQ_INT(flow_busy_ns(times, 0), 0);
}

/* ---- Images ---- */

static void windows_stay_inside(void) {
  static const int32_t raws[][3] = {{0, 0, 0}, {65535, 65535, 65535}, {3, 2, 1}, {1 << 30, 1 << 30, 2}};
  const struct image_shape shapes[] = {{5, 9, 5}, {8, 8, 7}, {4, 4, 1}};
  for (size_t i = 0; i < sizeof raws / sizeof raws[0]; i++)
    for (size_t j = 0; j < sizeof shapes / sizeof shapes[0]; j++) {
      const struct image_window w = image_window_of(raws[i], &shapes[j]);
      ASSERT_TRUE(w.top >= 0 && w.top + shapes[j].crop <= shapes[j].height);
      ASSERT_TRUE(w.left >= 0 && w.left + shapes[j].crop <= shapes[j].width);
      ASSERT_EQ_INT(w.mirror, raws[i][2] % 2);
    }
}

static void indices_are_those_of_the_definition(void) {
  const struct image_shape shape = {4, 6, 3};
  const struct image_window straight = {1, 2, 0}, mirrored = {1, 2, 1};
  ASSERT_EQ_INT(image_source(&shape, &straight, 0, 0), (1 * 6 + 2) * 3);
  ASSERT_EQ_INT(image_source(&shape, &straight, 2, 1), (3 * 6 + 3) * 3);
  ASSERT_EQ_INT(image_source(&shape, &mirrored, 0, 0), (1 * 6 + 4) * 3);
  ASSERT_EQ_INT(image_source(&shape, &mirrored, 0, 2), (1 * 6 + 2) * 3);
  ASSERT_EQ_INT(image_target(&shape, 0, 0, 0), 0);
  ASSERT_EQ_INT(image_target(&shape, 2, 1, 2), 2 * 9 + 1 * 3 + 2);
}

enum { IMAGES = 4, HEIGHT = 300, WIDTH = 310, CROP = 290 }; /* images larger than the part that is handled at once */

struct images {
  uint8_t x[IMAGES * HEIGHT * WIDTH * 3];
  int32_t geometry[IMAGES * 3];
  float plain[IMAGES * CROP * CROP * 3], rows[IMAGES * CROP * CROP * 3];
  uint16_t half_plain[IMAGES * CROP * CROP * 3], half_rows[IMAGES * CROP * CROP * 3];
};

static void fill_images(struct images *m) {
  for (size_t i = 0; i < sizeof m->x; i++)
    m->x[i] = (uint8_t)(i * 2654435761u >> 13);
  for (int i = 0; i < IMAGES * 3; i++)
    m->geometry[i] = 7 * i + 3; /* both kinds of mirroring */
}

static int wrong_elements(const struct images *m, const struct image_shape *shape) {
  int wrong = 0;
  for (int32_t i = 0; i < IMAGES; i++) {
    const struct image_window w = image_window_of(m->geometry + 3 * i, shape);
    for (int32_t at = 0; at < CROP * CROP * 3; at++) {
      const int32_t channel = at / (CROP * CROP), row = at / CROP % CROP, column = at % CROP;
      const double value =
          image_value(m->x[i * HEIGHT * WIDTH * 3 + image_source(shape, &w, row, column) + channel], channel);
      const size_t out = (size_t)i * CROP * CROP * 3 + (size_t)at;
      wrong += !(fabs((double)m->plain[out] - value) < 1e-6) || !(fabs((double)m->rows[out] - value) < 1e-6);
      wrong += m->half_plain[out] != m->half_rows[out];
      wrong += !(fabs(fill_decode(GB_DTYPE_F16, m->half_rows[out]) - value) < 2e-3);
    }
  }
  return wrong;
}

static void both_ways_on_the_cpu_are_right(void) {
  struct images *m = calloc(1, sizeof *m);
  ASSERT_TRUE(m != NULL);
  if (m == NULL) return;
  fill_images(m);
  struct preprocess p = {.x = m->x, .geometry = m->geometry, .shape = {HEIGHT, WIDTH, CROP}, .n = IMAGES};
  p.scale = image_scale_of();
  p.y = m->plain, preprocess_plain(&p, 0, IMAGES);
  p.y = m->rows, preprocess_rows(&p, 0, IMAGES);
  p.half = 1;
  p.y = m->half_plain, preprocess_plain(&p, 0, IMAGES);
  p.y = m->half_rows, preprocess_rows(&p, 0, IMAGES);
  ASSERT_EQ_INT(wrong_elements(m, &p.shape), 0);
  free(m);
}

/* Tests all values that preprocessing can produce against gpubench's conversion. */
static void halves_are_the_nearest(void) {
  const struct image_scale s = image_scale_of();
  for (int i = 0; i < 256 * IMAGE_CHANNELS; i++) {
    const float value = (float)(i / IMAGE_CHANNELS) * s.scale[i % IMAGE_CHANNELS] + s.bias[i % IMAGE_CHANNELS];
    const double half = fill_decode(GB_DTYPE_F16, preprocess_half(value));
    const double above = fill_decode(GB_DTYPE_F16, preprocess_half(value) + 1u);
    ASSERT_TRUE(fabs(half - (double)value) <= fabs(above - half) / 2);
  }
  ASSERT_EQ_INT(preprocess_half(0.0f), 0);
  ASSERT_EQ_INT(preprocess_half(1.0f), 0x3c00);
  ASSERT_EQ_INT(preprocess_half(-2.0f), 0xc000);
}

static void the_consumer_sums_with_weights(void) {
  enum { SIDE = 13, COUNT = SIDE * SIDE * 3 };
  const struct image_shape shape = {SIDE, SIDE, SIDE};
  float y[2 * COUNT], sums[2];
  for (int i = 0; i < 2 * COUNT; i++)
    y[i] = (float)(i % 17) - 5.0f;
  for (int repeats = 1; repeats < 200; repeats += 66) {
    consume_images(y, &shape, repeats, 0, 2, sums);
    for (int image = 0; image < 2; image++) {
      double sum = 0.0;
      for (int r = 0; r < repeats; r++)
        for (int i = 0; i < COUNT; i++)
          sum += (double)y[image * COUNT + i] * (double)image_weight(image_weight_index(i, r));
      ASSERT_NEAR((double)sums[image], sum, fabs(sum) * 1e-5);
    }
  }
}

UNIT_MAIN("data_pipeline", UNIT_TEST(last_chunk_is_shorter), UNIT_TEST(parts_cover_a_piece),
          UNIT_TEST(checksums_are_those_of_places), UNIT_TEST(poison_is_everywhere), UNIT_TEST(chunks_pass_in_order),
          UNIT_TEST(a_stop_lets_nobody_wait), UNIT_TEST(busy_time_counts_once), UNIT_TEST(windows_stay_inside),
          UNIT_TEST(indices_are_those_of_the_definition), UNIT_TEST(both_ways_on_the_cpu_are_right),
          UNIT_TEST(halves_are_the_nearest), UNIT_TEST(the_consumer_sums_with_weights))
