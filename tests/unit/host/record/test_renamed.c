/* Tests the translation of former names, which files of older versions contain, to the present ones. */
#include <stdlib.h>

#include "record/record.h"
#include "record/renamed.h"
#include "unit.h"

static void assert_key(const char *former, const char *name) {
  char *now = renamed_key(former);
  ASSERT_EQ_STR(now, name);
  free(now);
}

static void columns_and_values(void) {
  ASSERT_EQ_STR(renamed_name(RENAMED_COLUMN, "floor_ns"), "launch_overhead_ns");
  ASSERT_EQ_STR(renamed_name(RENAMED_COLUMN, "launch_overhead_ns"), "launch_overhead_ns");
  ASSERT_EQ_STR(renamed_name(RENAMED_COLUMN, "median_ns"), "median_ns");
  ASSERT_EQ_STR(renamed_name(RENAMED_COLUMN, ""), "");
  ASSERT_EQ_STR(renamed_name(RENAMED_VERDICT, "undecided (floor)"), "undecided (launch)");
  ASSERT_EQ_STR(renamed_name(RENAMED_VERDICT, "rest"), "rest"); /* a column's name */
  ASSERT_EQ_STR(renamed_name(RENAMED_OUTCOME, "lost"), "broken");
  for (char id[] = "gpubench.org/attention/forward/1", *major = id + sizeof id - 2; *major <= '4'; ++*major)
    ASSERT_EQ_STR(renamed_name(RENAMED_CONTRACT, id), "gpubench.org/attention/forward/1");
  ASSERT_EQ_STR(renamed_name(RENAMED_CONTRACT, "gpubench.org/data_pipeline/pipeline/2"),
                "gpubench.org/data_pipeline/pipeline/1");
  ASSERT_EQ_STR(renamed_name(RENAMED_CONTRACT, "gpubench.org/attention/forward/5"), "gpubench.org/attention/forward/5");
}

static void keys_of_each_device(void) {
  assert_key("floor_ns", "launch_overhead_ns");
  assert_key("floor_latency-graph_ns", "launch_overhead_latency-graph_ns");
  assert_key("device.12.floor_cold_ns", "device.12.launch_overhead_cold_ns");
  assert_key("device.2.lost", "device.2.lost");
  assert_key("shard.2.roofs", "shard.2.ceilings");
  assert_key("option.roofs", "option.ceilings");
  assert_key("roofs", "ceilings");
  assert_key("roofs_of_mine", "roofs_of_mine");
  assert_key("device.roofs", "device.roofs");
  assert_key("device..roofs", "device..roofs");
  assert_key("setting.floor_ns", "setting.floor_ns");
  assert_key("words.vector/scale.cold", "verdicts.vector/scale.cold");
  assert_key("words", "words");
  assert_key("", "");
}

/* A former name must not be in use for something else, because it would be translated there as well. */
static void no_former_name_is_in_use(void) {
  for (size_t i = 0; i < renamed_count; i++) {
    ASSERT_TRUE(renamed_table[i].kind != RENAMED_COLUMN || record_field(renamed_table[i].former) == NULL);
    for (size_t j = 0; j < renamed_count; j++)
      ASSERT_TRUE(i == j || renamed_table[i].kind != renamed_table[j].kind ||
                  strcmp(renamed_table[i].former, renamed_table[j].former) != 0);
  }
}

UNIT_MAIN("renamed", UNIT_TEST(columns_and_values), UNIT_TEST(keys_of_each_device), UNIT_TEST(no_former_name_is_in_use))
