/* Tests lists of processors, valid and invalid ones. */
#include "machine/cpus.h"

#include "unit.h"

static void parses(const char *text, size_t count, const char *back) {
  struct cpus cpus;
  char list[64];
  if (!cpus_parse(text, &cpus)) UNIT_FAIL("'%s' is not taken", text);
  ASSERT_EQ_INT(cpus_count(&cpus), count);
  cpus_text(&cpus, list, sizeof list);
  ASSERT_EQ_STR(list, back);
}

static void lists_become_sets_and_lists_again(void) {
  parses("0", 1, "0");
  parses("0-3,8", 5, "0-3,8");
  parses("63-64,0\n", 3, "0,63-64");
  parses("8191", 1, "8191");
  parses("0-8191", 8192, "0-8191");
  parses("5-5,4,5", 2, "4-5");
}

static void other_texts_are_none(void) {
  static const char *const bad[] = {"",     " ",           "-1",    "3-1",    "0-",      ",0",
                                    "0,",   "0,,1",        "8192",  "0-8192", "1 2",     "0x1",
                                    "a",    "99999999999", "0-3;4", "0.5",    "1-2-3",   "\xff",
                                    "1,-2", "0\r3",        "0-3,b", "0 - 3",  "\n\n0-1", "18446744073709551616"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct cpus cpus;
    memset(&cpus, 0xFF, sizeof cpus);
    if (cpus_parse(bad[i], &cpus)) UNIT_FAIL("'%s' is taken", bad[i]);
    ASSERT_EQ_INT(cpus_count(&cpus), 0);
  }
}

static void members_are_found_in_order(void) {
  struct cpus cpus;
  ASSERT_TRUE(cpus_parse("2,63-65,8191", &cpus));
  ASSERT_TRUE(cpus_has(&cpus, 2) && cpus_has(&cpus, 64) && cpus_has(&cpus, 8191));
  ASSERT_TRUE(!cpus_has(&cpus, 0) && !cpus_has(&cpus, 66) && !cpus_has(&cpus, 8192) && !cpus_has(&cpus, 4000000000));
  ASSERT_EQ_INT(cpus_next(&cpus, 0), 2);
  ASSERT_EQ_INT(cpus_next(&cpus, 3), 63);
  ASSERT_EQ_INT(cpus_next(&cpus, 66), 8191);
  ASSERT_EQ_INT(cpus_next(&cpus, 8192), CPUS_MAX);
  ASSERT_EQ_INT(cpus_next(&cpus, 4000000000), CPUS_MAX);
}

static void long_lists_are_cut(void) {
  struct cpus cpus;
  char list[16], none[4];
  ASSERT_TRUE(cpus_parse("0,2,4,6,8,10,12,14", &cpus));
  cpus_text(&cpus, list, sizeof list);
  ASSERT_EQ_STR(list, "0,2,4,6,8,...");
  ASSERT_TRUE(cpus_parse("0,2,4,6,8,10-11", &cpus));
  cpus_text(&cpus, list, sizeof list);
  ASSERT_EQ_STR(list, "0,2,4,6,8,10-11"); /* fits exactly */
  cpus_parse("", &cpus);
  cpus_text(&cpus, none, sizeof none);
  ASSERT_EQ_STR(none, "");
}

UNIT_MAIN("cpus", UNIT_TEST(lists_become_sets_and_lists_again), UNIT_TEST(other_texts_are_none),
          UNIT_TEST(members_are_found_in_order), UNIT_TEST(long_lists_are_cut))
