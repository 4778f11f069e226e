/* Tests that only the end of what a worker prints is kept, however much it is. */
#include "worker/printed.h"

#include <stdlib.h>

#include "unit.h"

static struct printed printed;

static const char *last_line(void) {
  static char line[64];
  printed_last_line(&printed, line, sizeof line);
  return line;
}

static void the_last_line_is_told(void) {
  printed = (struct printed){0};
  ASSERT_EQ_STR(last_line(), "");
  printed_add(&printed, "first\nsec", 9, 0);
  printed_add(&printed, "ond\r\n \n", 7, 0);
  ASSERT_EQ_STR(last_line(), "second");
}

static void it_is_printable(void) {
  printed = (struct printed){0};
  printed_add(&printed, "a\0b\033[1m\n", 8, 0);
  ASSERT_EQ_STR(last_line(), "a?b?[1m");
}

/* Python prints the frames of a crash, the innermost one first. The message quotes the frame of the plugin's script
 * (here mine.py), not those of libraries below or of gpubench above it. */
static void of_a_crash_of_python_the_line(void) {
  static const char crash[] =
      "loud\nFatal Python error: Segmentation fault\n\n"
      "Current thread 0x1 (most recent call first):\n"
      "  File \"/usr/lib/ctypes.py\", line 5 in string_at\n"
      "  File \"/mine.py\", line 14 in f\n"
      "  File \"/share/gpubench/python/gpubench.py\", line 7 in _prepare\n"
      "  File \"<string>\", line 9 in <module>\n\nExtension modules: a, b (total: 2)\n";
  printed = (struct printed){0};
  printed_add(&printed, crash, sizeof crash - 1, 0);
  ASSERT_EQ_STR(last_line(), "File \"/mine.py\", line 14 in f");
  printed = (struct printed){0};
  printed_add(&printed, "Fatal Python error: none\nlast\n", 30, 0);
  ASSERT_EQ_STR(last_line(), "last");
}

/* A variant's message quotes only text that was printed in its own slots. */
static void each_turn_has_its_own(void) {
  printed = (struct printed){.owner = PRINTED_BENCH};
  printed_add(&printed, "set up\n", 7, PRINTED_BENCH);
  printed_add(&printed, "first's\n", 8, 0);
  ASSERT_EQ_INT(printed.size, 8);
  printed_add(&printed, "more\n\x1egpubench 0\n", 17, 1);
  ASSERT_EQ_STR(last_line(), "more");
  ASSERT_EQ_INT(printed.owner, 0);
  printed_add(&printed, "too\n\x1egpubench 0\nsecond's", 24, 1);
  ASSERT_EQ_STR(last_line(), "second's");
  ASSERT_EQ_INT(printed.owner, 1);
}

/* The end of the text is kept, in whatever portions it arrives. */
static void more_than_there_is_room_for(void) {
  char text[3 * sizeof printed.text];
  memset(text, 'x', sizeof text);
  memcpy(text + sizeof text - 5, "\nlast", 5);
  printed = (struct printed){0};
  printed_add(&printed, text, sizeof text, 0);
  ASSERT_EQ_STR(last_line(), "last");
  ASSERT_EQ_INT(printed.size, sizeof printed.text - 1);
  printed = (struct printed){0};
  for (size_t i = 0; i < sizeof text; i += 1000)
    printed_add(&printed, text + i, sizeof text - i < 1000 ? sizeof text - i : 1000, 0);
  ASSERT_EQ_STR(last_line(), "last");
  ASSERT_EQ_INT(printed.size, sizeof printed.text - 1);
}

UNIT_MAIN("printed", UNIT_TEST(the_last_line_is_told), UNIT_TEST(it_is_printable),
          UNIT_TEST(of_a_crash_of_python_the_line), UNIT_TEST(each_turn_has_its_own),
          UNIT_TEST(more_than_there_is_room_for))
