/* Tests that mode names can be parsed again. */
#include "model/mode.h"

#include "unit.h"

static void names_come_back(void) {
  for (uint32_t timing = 0; timing < TIMING_COUNT; timing++)
    for (uint32_t load = 0; load < LOAD_COUNT; load++) {
      const struct mode mode = {timing, load};
      struct mode read = {99, 99};
      ASSERT_TRUE(mode_parse(mode_name(mode), &read));
      ASSERT_EQ_INT(read.timing, timing);
      ASSERT_EQ_INT(read.load, load);
    }
  ASSERT_EQ_STR(mode_name((struct mode){TIMING_HOT, LOAD_SUSTAINED}), "hot+sustained");
  ASSERT_EQ_STR(mode_name((struct mode){99, 0}), "unknown");
  struct mode none = {7, 7};
  ASSERT_TRUE(!mode_parse("hot+", &none) && !mode_parse("", &none) && !mode_parse("Cold", &none));
}

static void lists_are_split(void) {
  struct strings modes = {0};
  struct err err = {0};
  ASSERT_EQ_INT(mode_take(&modes, "--mode", "hot, graph+burst", &err), 0);
  ASSERT_EQ_INT(modes.count, 2);
  ASSERT_EQ_STR(modes.items[1], "graph+burst");
  ASSERT_EQ_INT(mode_take(&modes, "--mode", "cold,lukewarm", &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
  ASSERT_HAS(err.text, "--mode 'lukewarm': there are cold, hot, graph, latency, latency-graph, wall");
  strings_free(&modes);
}

static void each_has_its_traits(void) {
  for (uint32_t timing = 0; timing < TIMING_COUNT; timing++) {
    const struct mode mode = {timing, LOAD_PLAIN};
    const bool latency_graph = timing == TIMING_LATENCY_GRAPH;
    ASSERT_EQ_INT(mode_is_batched(mode), timing == TIMING_HOT || timing == TIMING_GRAPH);
    ASSERT_EQ_INT(mode_replays(mode), timing == TIMING_GRAPH || latency_graph);
    ASSERT_EQ_INT(mode_is_unbroken(mode), mode_is_batched(mode) || latency_graph);
    ASSERT_EQ_INT(mode_is_by_host(mode), timing == TIMING_LATENCY || latency_graph || timing == TIMING_WALL);
  }
}

UNIT_MAIN("mode", UNIT_TEST(names_come_back), UNIT_TEST(lists_are_split), UNIT_TEST(each_has_its_traits))
