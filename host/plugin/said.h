/* What a callback says before it fails: the first message stays. [any thread] */
#ifndef PLUGIN_SAID_H
#define PLUGIN_SAID_H

#include "base/text.h"

struct said {
  char text[MSG_SIZE]; /* "": nothing */
};

void said_clear(struct said *said);
void said_add(struct said *said, const char *text);
/* False: nothing was said, and `to` is empty. */
bool said_copy(const struct said *said, char *to, size_t size);

#endif
