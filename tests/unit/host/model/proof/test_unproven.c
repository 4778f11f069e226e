/* Tests the reasons why a time is unproven (not confirmed well enough for a verdict): their names in files, and which
 * verdicts they take away. */
#include "model/proof/unproven.h"

#include <string.h>

#include "unit.h"

enum { FEW = UNPROVEN_BIT(UNPROVEN_FEW), UNTIMED = UNPROVEN_BIT(UNPROVEN_UNTIMED) };

static void names_come_back(void) {
  char text[UNPROVEN_TEXT];
  for (uint32_t bits = 0; bits <= UNPROVEN_ALL; bits++) {
    unproven_print(bits, text, sizeof text);
    if (unproven_parse(text) != bits) UNIT_FAIL("%x became '%s'", bits, text);
  }
  unproven_print(UNTIMED | FEW, text, sizeof text);
  ASSERT_EQ_STR(text, "untimed;few");
  unproven_print(UNPROVEN_ALL, text, sizeof text);
  ASSERT_TRUE(strlen(text) + 16 < sizeof text); /* all names fit, with room for one more */
  for (unsigned i = 0; i < UNPROVEN_REASONS; i++)
    ASSERT_TRUE(unproven_name(i) != NULL && unproven_name(i)[0] != '\0' && unproven_sentence(i) != NULL);
}

/* A file of a newer version may name a reason that this version does not know; the row must stay unproven. */
static void an_unknown_name_is_a_reason(void) {
  const uint32_t other = UNPROVEN_BIT(UNPROVEN_OTHER);
  ASSERT_EQ_INT(unproven_parse(NULL), 0);
  ASSERT_EQ_INT(unproven_parse(""), 0);
  ASSERT_EQ_INT(unproven_parse("few;nightmare"), FEW | other);
  ASSERT_EQ_INT(unproven_parse("fewer"), other);
  ASSERT_EQ_INT(unproven_parse(";;few;"), FEW);
  ASSERT_EQ_INT(unproven_parse("fe"), other);
}

static void reasons_take_words(void) {
  static const struct {
    enum verdict word;
    uint32_t own, denominators, taken;
  } rows[] = {
      {VERDICT_FASTER, 0, 0, 0},
      {VERDICT_FASTER, FEW, 0, FEW},
      /* the baseline may take longer than it claims, and the variant is then faster all the more */
      {VERDICT_FASTER, 0, FEW, 0},
      {VERDICT_FASTER, FEW, FEW, 0},
      {VERDICT_FASTER, FEW | UNTIMED, FEW, UNTIMED},
      {VERDICT_SLOWER, FEW, 0, 0},
      {VERDICT_SLOWER, 0, FEW, FEW},
      {VERDICT_SLOWER, FEW, FEW, 0},
      {VERDICT_SAME, FEW, 0, FEW},
      {VERDICT_SAME, 0, FEW, FEW},
      {VERDICT_SAME, FEW, FEW, 0},
      {VERDICT_SAME, FEW, UNTIMED, FEW | UNTIMED},
      {VERDICT_UNDECIDED, FEW, UNTIMED, 0},
      {VERDICT_NONE, FEW, UNTIMED, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    ASSERT_EQ_INT(unproven_takes(rows[i].word, rows[i].own, rows[i].denominators), rows[i].taken);
}

static void words_are_sentences(void) {
  char text[512];
  unproven_words(0, text, sizeof text);
  ASSERT_EQ_STR(text, "");
  unproven_words(UNTIMED | FEW, text, sizeof text);
  ASSERT_EQ_STR(text,
                "work that is not timed could carry the difference; too few of its results were compared with "
                "the reference");
}

UNIT_MAIN("unproven", UNIT_TEST(names_come_back), UNIT_TEST(an_unknown_name_is_a_reason), UNIT_TEST(reasons_take_words),
          UNIT_TEST(words_are_sentences))
