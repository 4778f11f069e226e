/* Values of options. */
#include "manual/values.h"

#include <stdio.h>
#include <string.h>

void values_words(const struct option_desc *desc, char to[VALUES_SIZE]) {
  to[0] = '\0';
  if (desc->kind != KIND_WORD) return;
  snprintf(to, VALUES_SIZE, "%s", desc->argument);
  for (char *at = to; *at != '\0'; at++)
    if (*at == '|') *at = ' ';
}

bool values_are_files(const struct option_desc *desc) {
  return desc->argument != NULL && (desc->kind == KIND_FILE || strstr(desc->argument, "FILE") != NULL ||
                                    strstr(desc->argument, "DIR") != NULL || strstr(desc->argument, "RUN") != NULL);
}
