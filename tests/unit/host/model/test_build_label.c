/* Tests labels of builds, as in "LABEL=FILE": which text is a label and which is part of a file name. */
#include "model/build_label.h"

#include "unit.h"

static void splits(const char *typed, const char *label, const char *file) {
  char found[ID_SIZE];
  ASSERT_EQ_STR(label_split(typed, found), file);
  ASSERT_EQ_STR(found, label);
}

static void what_is_a_label(void) {
  splits("a.so", "", "a.so");
  splits("old=a.so", "old", "a.so");
  splits("old=/x/a.so", "old", "/x/a.so");
  splits("a=b=c.so", "a", "b=c.so");
  splits("v1.2_rc-3=a.so", "v1.2_rc-3", "a.so");
  splits("old=", "old", "");
  splits("./a=b.so", "", "./a=b.so"); /* a '/' comes first, so this is a file */
  splits("x/a=b.so", "", "x/a=b.so");
  splits("/a=b.so", "", "/a=b.so");
  splits("=a.so", "", "=a.so");
  splits("a b=c.so", "", "a b=c.so");
  splits("a@b=c.so", "", "a@b=c.so");
  splits("-a=c.so", "", "-a=c.so");
  splits("", "", "");
}

static void long_ones_are_files(void) {
  char typed[200];
  memset(typed, 'a', sizeof typed);
  snprintf(typed + ID_SIZE, 8, "=b.so");
  splits(typed, "", typed);
  snprintf(typed + ID_SIZE - 1, 8, "=b.so");
  char label[ID_SIZE];
  ASSERT_EQ_STR(label_split(typed, label), "b.so");
  ASSERT_EQ_INT(strlen(label), ID_SIZE - 1);
}

static void joins_and_shows(void) {
  char text[64];
  label_join(text, sizeof text, "old", "/a=b.so");
  ASSERT_EQ_STR(text, "old=/a=b.so");
  label_join(text, sizeof text, "", "/a.so");
  ASSERT_EQ_STR(text, "/a.so");
  label_show(text, sizeof text, "flash", "new");
  ASSERT_EQ_STR(text, "flash@new");
  label_show(text, sizeof text, "flash", "");
  ASSERT_EQ_STR(text, "flash");
}

UNIT_MAIN("label", UNIT_TEST(what_is_a_label), UNIT_TEST(long_ones_are_files), UNIT_TEST(joins_and_shows))
