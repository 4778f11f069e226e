/* The last of a text without end. */
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
  printed_add(&printed, "first\nsec", 9);
  printed_add(&printed, "ond\r\n \n", 7);
  ASSERT_EQ_STR(last_line(), "second");
}

static void it_is_printable(void) {
  printed = (struct printed){0};
  printed_add(&printed, "a\0b\033[1m\n", 8);
  ASSERT_EQ_STR(last_line(), "a?b?[1m");
}

/* Whatever the portions, the end is kept. */
static void more_than_there_is_room_for(void) {
  char text[3 * sizeof printed.text];
  memset(text, 'x', sizeof text);
  memcpy(text + sizeof text - 5, "\nlast", 5);
  printed = (struct printed){0};
  printed_add(&printed, text, sizeof text);
  ASSERT_EQ_STR(last_line(), "last");
  ASSERT_EQ_INT(printed.size, sizeof printed.text - 1);
  printed = (struct printed){0};
  for (size_t i = 0; i < sizeof text; i += 1000)
    printed_add(&printed, text + i, sizeof text - i < 1000 ? sizeof text - i : 1000);
  ASSERT_EQ_STR(last_line(), "last");
  ASSERT_EQ_INT(printed.size, sizeof printed.text - 1);
}

UNIT_MAIN("printed", UNIT_TEST(the_last_line_is_told), UNIT_TEST(it_is_printable),
          UNIT_TEST(more_than_there_is_room_for))
