/* What memory holds: in pieces, whose results are put together in order. */
#include "device/cpu_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"

enum { PIECE_BYTES = 1 << 20, CHAINS = 4 };

static size_t pieces_of(uint64_t whole, uint64_t piece) {
  return (size_t)((whole + piece - 1) / piece);
}

/* ---- Poison ---- */

struct counting {
  const unsigned char *memory;
  size_t size; /* of an element */
  uint64_t elements, pattern;
  uint64_t *counts; /* one per piece */
};

/* `type` is known where this is expanded, so that it becomes vector code. */
#define COUNT_EQUAL(name, type)                                                               \
  CLONES static uint64_t name(const unsigned char *at, uint64_t elements, uint64_t pattern) { \
    uint64_t count = 0;                                                                       \
    while (elements > 0) {                                                                    \
      const uint32_t block = elements < 128 ? (uint32_t)elements : 128;                       \
      type equal = 0; /* of a block: fits */                                                  \
      for (uint32_t i = 0; i < block; i++) {                                                  \
        type element;                                                                         \
        memcpy(&element, at + i * sizeof element, sizeof element);                            \
        equal = (type)(equal + (element == (type)pattern));                                   \
      }                                                                                       \
      count += equal;                                                                         \
      elements -= block;                                                                      \
      at += block * sizeof(type);                                                             \
    }                                                                                         \
    return count;                                                                             \
  }

COUNT_EQUAL(count_1, uint8_t)
COUNT_EQUAL(count_2, uint16_t)
COUNT_EQUAL(count_4, uint32_t)
COUNT_EQUAL(count_8, uint64_t)

static uint64_t count_elements(const unsigned char *at, uint64_t elements, size_t size, uint64_t pattern) {
  return (size == 1 ? count_1 : size == 2 ? count_2 : size == 4 ? count_4 : count_8)(at, elements, pattern);
}

/* Its first element, and the one behind its last. */
static uint64_t begin_of(const struct counting *c, size_t piece) {
  return piece * (PIECE_BYTES / c->size);
}

static uint64_t end_of(const struct counting *c, size_t piece) {
  const uint64_t end = begin_of(c, piece + 1);
  return end < c->elements ? end : c->elements;
}

static void count_piece(void *context, size_t piece) {
  const struct counting *c = (const struct counting *)context;
  const uint64_t first = begin_of(c, piece), count = end_of(c, piece) - first;
  c->counts[piece] = count_elements(c->memory + first * c->size, count, c->size, c->pattern);
}

/* In a piece where some were counted. A thread that still writes may have written over them by now: then it is the
 * piece's first element. */
static uint64_t find_first(const struct counting *c, size_t piece) {
  for (uint64_t i = begin_of(c, piece); i < end_of(c, piece); i++)
    if (count_elements(c->memory + i * c->size, 1, c->size, c->pattern) > 0) return i;
  return begin_of(c, piece);
}

int cpu_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                     unsigned char byte, uint64_t *count, uint64_t *first, struct err *err) {
  struct counting c = {(const unsigned char *)memory, element_bytes, elements, UINT64_C(0x0101010101010101) * byte,
                       NULL};
  const size_t pieces = pieces_of(elements, PIECE_BYTES / element_bytes);
  (void)device, (void)err;
  c.counts = (uint64_t *)xcalloc(pieces, sizeof *c.counts);
  parallel_each(pieces, count_piece, &c);
  *count = *first = 0;
  for (size_t i = 0; i < pieces; i++) {
    if (*count == 0 && c.counts[i] > 0) *first = find_first(&c, i);
    *count += c.counts[i];
  }
  free(c.counts);
  return 0;
}

/* ---- Checksums ---- */

struct summing {
  const unsigned char *memory;
  size_t bytes;
  uint64_t key;
  uint64_t (*sums)[CHAINS]; /* of each piece */
};

static uint64_t checksum_step(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * UINT64_C(0x9FB21C651E98DF25);
  return sum ^ sum >> 29;
}

/* Four chains side by side, for speed. Each step is a bijection of the sum, so that no change of one word is missed. */
static void sum_piece(void *context, size_t piece) {
  const struct summing *s = (const struct summing *)context;
  const unsigned char *at = s->memory + piece * PIECE_BYTES;
  uint64_t sums[CHAINS], words[CHAINS];
  for (uint64_t i = 0; i < CHAINS; i++)
    sums[i] = rng_bits(s->key, i);
  size_t left = s->bytes - piece * PIECE_BYTES;
  if (left > PIECE_BYTES) left = PIECE_BYTES;
  for (; left > 0; left -= left < sizeof words ? left : sizeof words, at += sizeof words) {
    if (left < sizeof words) memset(words, 0, sizeof words);
    memcpy(words, at, left < sizeof words ? left : sizeof words);
    for (int i = 0; i < CHAINS; i++)
      sums[i] = checksum_step(sums[i], words[i]);
  }
  memcpy(s->sums[piece], sums, sizeof sums);
}

int cpu_checksum(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum,
                 struct err *err) {
  const size_t pieces = pieces_of(bytes, PIECE_BYTES);
  struct summing s = {(const unsigned char *)memory, bytes, key, NULL};
  (void)device, (void)err;
  s.sums = (uint64_t(*)[CHAINS])xcalloc(pieces, sizeof *s.sums);
  parallel_each(pieces, sum_piece, &s);
  *sum = rng_key(key, bytes);
  for (size_t i = 0; i < pieces * CHAINS; i++)
    *sum = rng_mix(*sum + s.sums[i / CHAINS][i % CHAINS]);
  free(s.sums);
  return 0;
}
