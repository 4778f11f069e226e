/* Tests changing a piece (a range of elements) of each input: what memory holds, what a plugin reads, and restoring
 * the piece. */
#include "case/contents.h"

#include "case/tensors.h"
#include "case/verify.h"
#include "fixture_case.h"
#include "model/data/dtype.h"

static struct bed bed;
static const int64_t length = 8192, one = 1;

static void declare_with(const int64_t *inputs) {
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("x", GB_IN, GB_DTYPE_F32, inputs)), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("b", GB_IN, GB_DTYPE_BF16, inputs)), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("z", GB_INOUT, GB_DTYPE_F32, &length)), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F32, &length)), "");
  bed_fill(&bed, 7);
}

static void open_with(const int64_t *inputs) {
  bed_open(&bed);
  declare_with(inputs);
}

/* Returns how many elements differ from `before`, and checks that gb.tensor->input() agrees with memory. */
static unsigned changed(const char *name, const void *before) {
  const struct tensor *t = tensor_find(bed.c, name);
  double *values = xcalloc((size_t)t->elements, sizeof *values);
  unsigned count = 0;
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(gb.tensor->input(bed.c, name, 0, t->elements, values), GB_OK);
  for (uint64_t i = 0; i < t->elements; i++) {
    if (values[i] < dtype_load(t->dtype, t->data, i) || values[i] > dtype_load(t->dtype, t->data, i))
      UNIT_FAIL("element %llu of '%s': read %g", (unsigned long long)i, name, values[i]);
    count += memcmp((const char *)t->data + i * dtype_bytes(t->dtype), (const char *)before + i * dtype_bytes(t->dtype),
                    dtype_bytes(t->dtype)) != 0;
  }
  free(values);
  return count;
}

static void *copy_of(const char *name) {
  const struct tensor *t = tensor_find(bed.c, name);
  void *copy = xcalloc((size_t)t->elements, dtype_bytes(t->dtype));
  memcpy(copy, t->data, (size_t)tensor_bytes(t));
  return copy;
}

static void a_piece_is_other_and_the_rest_is_not(void) {
  struct err err = {0};
  open_with(&length);
  void *x = copy_of("x"), *b = copy_of("b"), *z = copy_of("z");
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 99, &err), 0);
  ASSERT_TRUE(!case_is_known(bed.c) && tensors_have_other_piece(bed.c));
  call_begin(bed.c, PHASE_VERIFY, OWNER_BENCH);
  ASSERT_EQ_INT(gb.point->seed(bed.c), 7); /* the change is not visible in the seed */
  const unsigned of_x = changed("x", x), of_b = changed("b", b);
  ASSERT_TRUE(of_x > 100 && of_x <= 128);
  ASSERT_TRUE(of_b > 64 && of_b <= 128);
  ASSERT_EQ_INT(changed("z", z), 0);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 100, &err), 0); /* restores this piece and changes another */
  ASSERT_TRUE(changed("x", x) <= 128);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 7, &err), 0); /* 7 is the seed of the whole inputs: restores the piece */
  ASSERT_EQ_INT(changed("x", x) + changed("b", b), 0);
  ASSERT_TRUE(case_is_known(bed.c));
  free(x), free(b), free(z);
  bed_close(&bed);
}

/* A large piece has from one cache line to half of the input. tensors_touch_piece() writes such a piece without
 * changing its values. */
static void large_pieces_are_of_all_sizes(void) {
  struct err err = {0};
  unsigned least = UINT32_MAX, most = 0;
  bed_open(&bed);
  bed.c->large_pieces = true;
  declare_with(&length);
  void *x = copy_of("x"), *b = copy_of("b");
  for (uint64_t seed = 100; seed < 160; seed++) {
    ASSERT_EQ_INT(tensors_ready_piece(bed.c, seed, &err), 0);
    ASSERT_EQ_INT(tensors_touch_piece(bed.c, seed, &err), 0);
    ASSERT_TRUE(case_is_known(bed.c) && changed("x", x) == 0 && changed("b", b) == 0);
    ASSERT_EQ_INT(tensors_change_piece(bed.c, seed, &err), 0);
    const unsigned count = changed("x", x);
    least = count < least ? count : least;
    most = count > most ? count : most;
  }
  ASSERT_TRUE(least <= 16 && most > 4000 && most <= 4096);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 7, &err), 0);
  ASSERT_TRUE(changed("x", x) == 0 && changed("b", b) == 0);
  free(x), free(b);
  bed_close(&bed);
}

/* Moves a changed piece of the inputs to 50 places, one after the other. Each time the values at the place before must
 * be restored. */
static void pieces_move(void) {
  struct err err = {0};
  open_with(&length);
  void *x = copy_of("x");
  ASSERT_EQ_INT(tensors_ready_piece(bed.c, 5, &err), 0);
  for (uint64_t place = 1000; place < 1050; place++) {
    ASSERT_EQ_INT(tensors_move_piece(bed.c, place, &err), 0);
    ASSERT_TRUE(changed("x", x) > 100 && changed("x", x) <= 128);
  }
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 5, &err), 0);
  void *piece = copy_of("x");
  ASSERT_EQ_INT(tensors_change_piece(bed.c, bed.c->known_seed, &err), 0);
  ASSERT_EQ_INT(changed("x", x), 0);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 5, &err), 0); /* changes the same piece once more, after it was restored */
  ASSERT_EQ_INT(changed("x", piece), 0);
  free(x), free(piece);
  bed_close(&bed);
}

static void what_is_adopted_is_gone_back_to(void) {
  struct err err = {0};
  const char *damaged = NULL;
  open_with(&length);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 99, &err), 0);
  void *adopted = copy_of("x");
  ASSERT_EQ_INT(tensors_adopt(bed.c, &damaged, &err), 0);
  ASSERT_TRUE(damaged == NULL && case_is_known(bed.c));
  ASSERT_EQ_INT(changed("x", adopted), 0);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 101, &err), 0); /* a piece of the same whole */
  ASSERT_EQ_INT(tensors_change_piece(bed.c, bed.c->known_seed, &err), 0);
  ASSERT_EQ_INT(changed("x", adopted), 0);
  ASSERT_EQ_INT(tensors_change(bed.c, 8, &err), 0); /* another whole */
  ASSERT_TRUE(!tensors_have_other_piece(bed.c));
  ASSERT_EQ_INT(tensors_change(bed.c, 99, &err), 0);
  ASSERT_EQ_INT(changed("x", adopted), 0);
  memset(tensor_find(bed.c, "x")->data, 0, 64);
  ASSERT_EQ_INT(tensors_repair(bed.c, &err), 0);
  ASSERT_EQ_INT(changed("x", adopted), 0);
  free(adopted);
  bed_close(&bed);
}

static void damage_is_seen_when_it_is_adopted(void) {
  struct err err = {0};
  const char *damaged = NULL;
  open_with(&length);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 99, &err), 0);
  ((float *)tensor_find(bed.c, "x")->data)[17] = 3;
  ASSERT_EQ_INT(tensors_adopt(bed.c, &damaged, &err), 0);
  ASSERT_EQ_STR(damaged, "x");
  ((float *)tensor_find(bed.c, "x")->data)[17] = 3;
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 100, &err), 0);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, bed.c->known_seed, &err), 0);
  ASSERT_EQ_INT(tensors_mend(bed.c, &err), 0);
  void *x = copy_of("x");
  ASSERT_EQ_INT(tensors_repair(bed.c, &err), 0);
  ASSERT_EQ_INT(changed("x", x), 0);
  free(x);
  bed_close(&bed);
}

/* Changes a piece, and damages one element inside or outside of it. tensors_adopt() must find the damage and restore
 * the values that were written. */
static void damage_anywhere_is_seen_when_a_piece_is_adopted(void) {
  struct err err = {0};
  const char *damaged = NULL;
  open_with(&length);
  float *data = tensor_find(bed.c, "x")->data;
  for (int i = 0; i < length; i += i < 32 || i > length - 32 ? 1 : 61) {
    ASSERT_EQ_INT(tensors_change_piece(bed.c, 200 + (uint64_t)i, &err), 0);
    void *x = copy_of("x");
    const bool odd = i % 2 != 0;
    if (odd) data[i] += 1;
    ASSERT_EQ_INT(tensors_adopt(bed.c, &damaged, &err), 0);
    ASSERT_EQ_INT(damaged != NULL, odd);
    ASSERT_EQ_INT(changed("x", x), 0);
    const uint64_t checksum = tensor_find(bed.c, "x")->checksum;
    ASSERT_EQ_INT(tensors_repair(bed.c, &err), 0);
    ASSERT_TRUE(checksum == tensor_find(bed.c, "x")->checksum);
    free(x);
  }
  bed_close(&bed);
}

static void the_least_piece_is_all_there_is(void) {
  struct err err = {0};
  open_with(&one);
  void *x = copy_of("x");
  ASSERT_EQ_INT(tensors_change_piece(bed.c, 99, &err), 0);
  ASSERT_EQ_INT(changed("x", x), 1);
  ASSERT_EQ_INT(tensors_change_piece(bed.c, bed.c->known_seed, &err), 0);
  ASSERT_EQ_INT(changed("x", x), 0);
  free(x);
  bed_close(&bed);
}

/* tensors_poison_piece() fills pieces of several sizes, from 16 to 128 elements, and changes nothing else. */
static void a_piece_of_the_outputs_is_poisoned(void) {
  struct err err = {0};
  unsigned sizes = 0;
  open_with(&length);
  void *x = copy_of("x"), *z = copy_of("z");
  float *y = tensor_find(bed.c, "y")->data;
  for (uint64_t number = 0; number < 50; number++) {
    unsigned poisoned = 0;
    for (int i = 0; i < length; i++)
      y[i] = 1;
    ASSERT_EQ_INT(tensors_poison_piece(bed.c, number, &err), 0);
    for (int i = 0; i < length; i++)
      poisoned += memcmp(&y[i], "\377\377\377\377", 4) == 0;
    ASSERT_TRUE(poisoned >= 16 && poisoned <= 128);
    sizes |= poisoned;
  }
  ASSERT_EQ_INT(sizes, 16 + 32 + 64 + 128);
  ASSERT_EQ_INT(changed("x", x) + changed("z", z), 0);
  free(x), free(z);
  bed_close(&bed);
}

UNIT_MAIN("contents", UNIT_TEST(a_piece_is_other_and_the_rest_is_not), UNIT_TEST(pieces_move),
          UNIT_TEST(large_pieces_are_of_all_sizes), UNIT_TEST(what_is_adopted_is_gone_back_to),
          UNIT_TEST(damage_is_seen_when_it_is_adopted), UNIT_TEST(damage_anywhere_is_seen_when_a_piece_is_adopted),
          UNIT_TEST(the_least_piece_is_all_there_is), UNIT_TEST(a_piece_of_the_outputs_is_poisoned))
