/* Tests wrapping lines for a terminal. */
#include "base/grid.h"

#include "capture.h"
#include "unit.h"

static void wraps(const char *text, int width, const char *expected) {
  struct capture capture;
  wrap_print(capture_open(&capture), text, width);
  char *printed = capture_close(&capture);
  ASSERT_EQ_STR(printed, expected);
  free(printed);
}

static void what_fits_stays(void) {
  wraps("", 10, "");
  wraps("one\n\ntwo three\n", 9, "one\n\ntwo three\n");
  wraps("one two three four\n", 0, "one two three four\n");
  wraps("one two three four", 0, "one two three four");
}

static void no_word_is_broken(void) {
  wraps("one two three four\n", 9, "one two\n  three\n  four\n");
  wraps("one  two  three\n", 9, "one  two\n  three\n");
  wraps("a/word/of/more/than/a/line and more\n", 9, "a/word/of/more/than/a/line\n  and\n  more\n");
  wraps("one a/word/of/more/than/a/line\n", 9, "one\n  a/word/of/more/than/a/line\n");
}

/* Continuation lines are indented to the text after the label. */
static void labels_stand_alone(void) {
  wraps("note        one two three\n", 20, "note        one two\n            three\n");
  wraps("not common  one two three\n", 20, "not common  one two\n            three\n");
  wraps("report      a/word/of/more/than/a/line\n", 20, "report      a/word/of/more/than/a/line\n");
}

static void colours_take_no_columns(void) {
  wraps("\033[38;5;166mone two\033[0m three\n", 7, "\033[38;5;166mone two\033[0m\n  three\n");
  wraps("\xC3\xA4\xC3\xA4 \xC3\xBC\xC3\xBC x\n", 5, "\xC3\xA4\xC3\xA4 \xC3\xBC\xC3\xBC\n  x\n");
}

UNIT_MAIN("wrap", UNIT_TEST(what_fits_stays), UNIT_TEST(no_word_is_broken), UNIT_TEST(labels_stand_alone),
          UNIT_TEST(colours_take_no_columns))
