/* The looks of the four words. */
#include "summary/verdict.h"

#include <stddef.h>
#include <string.h>

struct verdict_look verdict_look(const char *verdict, bool utf8) {
  static const struct verdict_look looks[][2] = {
      {{"+ ", "faster", GRID_BLUE}, {"\xE2\x96\xB2 ", "faster", GRID_BLUE}},
      {{"- ", "slower", GRID_ORANGE}, {"\xE2\x96\xBC ", "slower", GRID_ORANGE}},
      {{"= ", "same", GRID_PLAIN}, {"= ", "same", GRID_PLAIN}},
      {{"? ", "undecided", GRID_PLAIN}, {"? ", "undecided", GRID_PLAIN}},
  };
  for (size_t i = 0; verdict != NULL && i < sizeof looks / sizeof looks[0]; i++)
    if (strcmp(verdict, looks[i][0].word) == 0) return looks[i][utf8];
  return (struct verdict_look){"", "", GRID_PLAIN};
}
