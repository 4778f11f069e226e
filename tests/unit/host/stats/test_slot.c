/* Tests that slots are dropped if later slots of their process had a longer cooldown (pause before the slot). */
#include "stats/slot.h"

#include <stdlib.h>

#include "unit.h"

/* Calls slots_rested() on slots with these epochs and cooldowns; slot i has i + 1 samples. */
static size_t rested(const uint32_t *epochs, const double *rests, size_t count, uint32_t *rounds, size_t *discarded) {
  struct slot slots[8] = {0};
  for (uint32_t i = 0; i < count; i++)
    slots[i] = (struct slot){.epoch = epochs[i], .round = i, .count = i + 1, .state = {.cooldown = rests[i]}};
  const size_t kept = slots_rested(slots, count, discarded);
  for (size_t i = 0; i < count; i++)
    rounds[i] = slots[i].round;
  return kept;
}

static void what_had_less_rest_than_the_last_is_set_aside(void) {
  const uint32_t epochs[] = {1, 1, 1, 1, 1, 1};
  const double rests[] = {0, 0, 2, 2, 4, 4};
  uint32_t rounds[6];
  size_t discarded;
  ASSERT_EQ_INT(rested(epochs, rests, 6, rounds, &discarded), 2);
  ASSERT_EQ_INT(discarded, 1 + 2 + 3 + 4);
  ASSERT_EQ_INT(rounds[0], 4);
  ASSERT_EQ_INT(rounds[1], 5);
}

static void each_process_by_its_own_last_slot(void) {
  const uint32_t epochs[] = {1, 1, 1, 2, 2, 3};
  const double rests[] = {0, 2, 2, 0, 0, 4};
  uint32_t rounds[6];
  size_t discarded;
  ASSERT_EQ_INT(rested(epochs, rests, 6, rounds, &discarded), 5);
  ASSERT_EQ_INT(discarded, 1);
  for (uint32_t i = 0; i < 5; i++)
    ASSERT_EQ_INT(rounds[i], i + 1);
}

static void processes_may_be_mixed(void) {
  const uint32_t epochs[] = {1, 2, 1, 2, 1, 2};
  const double rests[] = {0, 4, 0, 4, 2, 4};
  uint32_t rounds[6];
  size_t discarded;
  ASSERT_EQ_INT(rested(epochs, rests, 6, rounds, &discarded), 4);
  ASSERT_EQ_INT(discarded, 1 + 3);
  ASSERT_EQ_INT(rounds[2], 4);
}

/* In files of older versions the cooldown is unknown (NaN). All slots are kept then. */
static void where_no_rest_is_known_all_count(void) {
  const uint32_t epochs[] = {1, 1, 1};
  const double rests[] = {NAN, NAN, NAN};
  uint32_t rounds[3];
  size_t discarded;
  ASSERT_EQ_INT(rested(epochs, rests, 3, rounds, &discarded), 3);
  ASSERT_EQ_INT(discarded, 0);
  ASSERT_EQ_INT(rested(epochs, rests, 0, rounds, &discarded), 0);
}

UNIT_MAIN("slot", UNIT_TEST(what_had_less_rest_than_the_last_is_set_aside),
          UNIT_TEST(each_process_by_its_own_last_slot), UNIT_TEST(processes_may_be_mixed),
          UNIT_TEST(where_no_rest_is_known_all_count))
