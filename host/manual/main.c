/* gpubench-manual man|bash|zsh|fish FILE: writes that file. The build runs it; it is not installed. */
#include "manual/manual.h"

#include <string.h>

static const struct {
  const char *name;
  void (*print)(FILE *out);
} files[] = {{"man", manual_page}, {"bash", manual_bash}, {"zsh", manual_zsh}, {"fish", manual_fish}};

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 3 && i < sizeof files / sizeof files[0]; i++) {
    if (strcmp(argv[1], files[i].name) != 0) continue;
    FILE *out = fopen(argv[2], "w");
    if (out != NULL) files[i].print(out);
    if (out != NULL && fclose(out) == 0) return 0;
    perror(argv[2]);
    return 1;
  }
  fputs("usage: gpubench-manual man|bash|zsh|fish FILE\n", stderr);
  return 2;
}
