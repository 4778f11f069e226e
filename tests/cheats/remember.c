/* Cheating variants that repeat results of earlier calls instead of computing them. Each saves all of the work, unless
 * its name says how much. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

static size_t bytes(gb_case *c) {
  return (size_t)size(c) * sizeof(float);
}

static void keep(gb_case *c, struct memory *m) {
  honest(c, m);
  memcpy(m->kept, output(c), bytes(c));
}

static void give(gb_case *c, struct memory *m) {
  memcpy(output(c), m->kept, bytes(c));
  finish(c);
}

/* Copies the first of `whole` equal parts of the outputs from the kept results, and computes the rest. */
static void give_a(gb_case *c, struct memory *m, int64_t whole) {
  const int64_t part = size(c) / whole;
  memcpy(output(c), m->kept, (size_t)part * sizeof(float));
  compute(c, part, size(c));
  finish(c);
}

/* ---- Inputs are recognized by content: the first calls on new inputs compute, and later ones repeat the results ----
 */

static void memo(gb_case *c, struct memory *m, int64_t calls) {
  known(c, m) < calls ? keep(c, m) : give(c, m);
}

static void after_1(gb_case *c, struct memory *m) {
  memo(c, m, 1);
}

static void after_2(gb_case *c, struct memory *m) {
  memo(c, m, 2);
}

static void after_3(gb_case *c, struct memory *m) {
  memo(c, m, 3);
}

static void after_10(gb_case *c, struct memory *m) {
  memo(c, m, 10);
}

static void after_100(gb_case *c, struct memory *m) {
  memo(c, m, 100);
}

static void a_half(gb_case *c, struct memory *m) {
  known(c, m) < 1 ? keep(c, m) : give_a(c, m, 2);
}

static void half_after_3(gb_case *c, struct memory *m) {
  known(c, m) < 3 ? keep(c, m) : give_a(c, m, 2);
}

static void a_third(gb_case *c, struct memory *m) {
  known(c, m) < 1 ? keep(c, m) : give_a(c, m, 3);
}

static void a_twentieth(gb_case *c, struct memory *m) {
  known(c, m) < 1 ? keep(c, m) : give_a(c, m, 20);
}

/* Computes only the pieces whose inputs differ from those of the last call. */
static void by_pieces(gb_case *c, struct memory *m) {
  enum { PIECE = 256 };
  const float *x = input(c);
  for (int64_t first = 0; first < size(c); first += PIECE) {
    const int64_t count = size(c) - first < PIECE ? size(c) - first : PIECE;
    const size_t part = (size_t)count * sizeof(float);
    if (m->calls == 0 || memcmp(m->later + first, x + first, part) != 0) {
      memcpy(m->later + first, x + first, part);
      work(x + first, m->kept + first, count);
    }
  }
  give(c, m);
}

/* Keeps the results for eight inputs, in case the host uses old inputs again. */
static void last_eight(gb_case *c, struct memory *m) {
  enum { EIGHT = 8 };
  static double sums[EIGHT];
  static float *kept[EIGHT];
  (void)known(c, m);
  int at = 0;
  while (at < EIGHT - 1 && sums[at] != m->seen)
    at++;
  if (kept[at] == NULL) kept[at] = malloc(bytes(c));
  if (kept[at] == NULL || sums[at] != m->seen) honest(c, m);
  if (kept[at] != NULL && sums[at] != m->seen) memcpy(kept[at], output(c), bytes(c));
  if (kept[at] != NULL && sums[at] == m->seen) memcpy(output(c), kept[at], bytes(c));
  sums[at] = m->seen;
  finish(c);
}

/* ---- Inputs recognized by other signs ---- */

/* Recognizes the inputs by their address, whatever values are there. Therefore repeats the results of the first
 * call. */
static void by_pointer(gb_case *c, struct memory *m) {
  m->calls == 0 ? keep(c, m) : give(c, m);
}

/* Returns how many calls directly before this one had the same seed, from which the host fills the inputs. */
static int64_t same_seed(gb_case *c, struct memory *m) {
  const double seed = (double)gb.point->seed(c) + 1;
  m->known = seed == m->seen ? m->known + 1 : 0;
  m->seen = seed;
  return m->known;
}

static void by_seed(gb_case *c, struct memory *m) {
  same_seed(c, m) < 1 ? keep(c, m) : give(c, m);
}

static void by_seed_after_10(gb_case *c, struct memory *m) {
  same_seed(c, m) < 10 ? keep(c, m) : give(c, m);
}

/* ---- By counting ---- */

static void every_second(gb_case *c, struct memory *m) {
  if (m->calls % 2 == 0) honest(c, m);
}

static void every_second_kept(gb_case *c, struct memory *m) {
  known(c, m) < 1 || m->calls % 2 == 0 ? keep(c, m) : give(c, m);
}

static void every_third_kept(gb_case *c, struct memory *m) {
  known(c, m) < 1 || m->calls % 3 == 0 ? keep(c, m) : give(c, m);
}

static void half_every_second(gb_case *c, struct memory *m) {
  known(c, m) < 1 || m->calls % 2 == 0 ? keep(c, m) : give_a(c, m, 2);
}

static void every_51st(gb_case *c, struct memory *m) {
  known(c, m) < 1 || m->calls % 51 == 0 ? keep(c, m) : give(c, m);
}

static void by_dice(gb_case *c, struct memory *m) {
  known(c, m) < 1 || rand() % 2 == 0 ? keep(c, m) : give(c, m);
}

/* Computes for the first 20 ms after the inputs have changed, and then repeats the results. */
static void for_a_while(gb_case *c, struct memory *m) {
  static const double while_ns = 20e6;
  static double since_ns;
  if (known(c, m) == 0) since_ns = now_ns();
  now_ns() - since_ns < while_ns ? keep(c, m) : give(c, m);
}

/* ---- Variants that compute only if the call seems to be one that is verified ---- */

/* Computes in the first calls on new inputs, and in the first calls after a pause, because these may be verified.
 * Otherwise repeats results. */
static void unless_first(gb_case *c, struct memory *m) {
  known(c, m) < 3 || m->streak < 2 ? keep(c, m) : give(c, m);
}

static void half_unless_first(gb_case *c, struct memory *m) {
  known(c, m) < 3 || m->streak < 2 ? keep(c, m) : give_a(c, m, 2);
}

static void tenth_unless_first(gb_case *c, struct memory *m) {
  known(c, m) < 3 || m->streak < 2 ? keep(c, m) : give_a(c, m, 10);
}

/* Computes in the very first call, in the first call after a pause, and in the second call on new inputs. Otherwise
 * repeats results. */
static void a_call_late(gb_case *c, struct memory *m) {
  (void)known(c, m);
  m->streak == 0 || m->calls == 0 || m->known == 1 ? keep(c, m) : give(c, m);
}

static void half_unless_first_three(gb_case *c, struct memory *m) {
  known(c, m) < 3 || m->streak < 3 ? keep(c, m) : give_a(c, m, 2);
}

/* Computes if the byte before the output has changed since the last long pause. The host changes such guard bytes
 * around an output that it is going to verify. */
static void unless_marked(gb_case *c, struct memory *m) {
  const unsigned char mark = ((const unsigned char *)output(c))[-1];
  if (mark != m->mark)
    m->marked = true;
  else if (m->streak == 0)
    m->marked = false;
  m->mark = mark;
  known(c, m) < 1 || m->marked ? keep(c, m) : give(c, m);
}

/* Repeats its results unless the call comes from another depth of the stack than the last one. Such a call may be one
 * whose outputs are verified, so it computes. */
static void by_the_stack(gb_case *c, struct memory *m) {
  const char *frame = __builtin_frame_address(0);
  known(c, m) < 3 || frame != m->frame ? keep(c, m) : give(c, m);
  m->frame = frame;
}

/* ---- Variants that compute only if the outputs do not hold values already, that is if they are NaN ---- */

static bool there(gb_case *c) {
  return !isnan(output(c)[0]) && !isnan(output(c)[size(c) - 1]);
}

static void already_there(gb_case *c, struct memory *m) {
  if (!there(c)) honest(c, m);
}

static void there_by_dice(gb_case *c, struct memory *m) {
  bool poisoned = false;
  for (int i = 0; i < 8; i++)
    poisoned = poisoned || isnan(output(c)[rand() % size(c)]);
  if (poisoned) honest(c, m);
}

/* Computes if the outputs hold no values or the inputs are new. The results are therefore always right, although most
 * calls do nothing. */
static void there_and_known(gb_case *c, struct memory *m) {
  if (known(c, m) < 1 || !there(c)) honest(c, m);
}

static void there_after_10(gb_case *c, struct memory *m) {
  if (known(c, m) < 10 || !there(c)) honest(c, m);
}

static void there_unless_first(gb_case *c, struct memory *m) {
  if (known(c, m) < 3 || m->streak < 2 || !there(c)) honest(c, m);
}

/* Computes half of the outputs if all of them hold values already and the inputs are known. Otherwise computes all. */
static void half_there(gb_case *c, struct memory *m) {
  compute(c, 0, known(c, m) < 1 || !there(c) ? size(c) : size(c) / 2);
  finish(c);
}

const struct trick remember_tricks[] = {
    {.name = "honest", .act = honest},
    {.name = "after-1", .act = after_1},
    {.name = "after-2", .act = after_2},
    {.name = "after-3", .act = after_3},
    {.name = "after-10", .act = after_10},
    {.name = "after-100", .act = after_100},
    {.name = "a-half", .act = a_half},
    {.name = "half-after-3", .act = half_after_3},
    {.name = "a-third", .act = a_third},
    {.name = "a-twentieth", .act = a_twentieth},
    {.name = "by-pieces", .act = by_pieces},
    {.name = "last-eight", .act = last_eight},
    {.name = "by-pointer", .act = by_pointer},
    {.name = "by-seed", .act = by_seed},
    {.name = "by-seed-after-10", .act = by_seed_after_10},
    {.name = "every-second", .act = every_second},
    {.name = "every-second-kept", .act = every_second_kept},
    {.name = "every-third-kept", .act = every_third_kept},
    {.name = "half-every-second", .act = half_every_second},
    {.name = "every-51st", .act = every_51st},
    {.name = "by-dice", .act = by_dice},
    {.name = "for-a-while", .act = for_a_while},
    {.name = "unless-first", .act = unless_first},
    {.name = "half-unless-first", .act = half_unless_first},
    {.name = "a-call-late", .act = a_call_late},
    {.name = "half-unless-first-three", .act = half_unless_first_three},
    {.name = "unless-marked", .act = unless_marked},
    {.name = "tenth-unless-first", .act = tenth_unless_first},
    {.name = "by-the-stack", .act = by_the_stack},
    {.name = "already-there", .act = already_there},
    {.name = "there-by-dice", .act = there_by_dice},
    {.name = "there-and-known", .act = there_and_known},
    {.name = "there-after-10", .act = there_after_10},
    {.name = "there-unless-first", .act = there_unless_first},
    {.name = "half-there", .act = half_there},
    {.name = "also-honest", .act = honest},
    {.name = NULL},
};
