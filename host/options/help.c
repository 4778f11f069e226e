/* --help, from the table. */
#include <string.h>

#include "base/wrap.h"
#include "options/table.h"

#ifndef GPUBENCH_VERSION
#define GPUBENCH_VERSION "unknown"
#endif

enum { WIDTH = 80, COLUMN = 26 /* where the help of an option begins */, NOTE_COLUMN = 12 };

static void print_usage(enum command command, FILE *out) {
  const struct command_desc *desc = &command_table[command];
  if (command == COMMAND_RUN) {
    fputs("gpubench " GPUBENCH_VERSION
          ": benchmark GPU kernels from plugins; verified, compared, with\nconfidence intervals\n\n"
          "  gpubench [run] PLUGIN... [options]       measure and write a report\n"
          "  gpubench list | report | compare | new | check   see gpubench COMMAND --help\n",
          out);
    return;
  }
  fprintf(out, "gpubench %s %s [options]\n\n", desc->name, desc->arguments);
  wrap_paragraph(out, desc->purpose, WIDTH, 0);
}

static void print_option(const struct option_desc *desc, FILE *out) {
  char left[COLUMN + 40], text[TEXT_SIZE + 8], letter[8] = "";
  if (desc->letter) snprintf(letter, sizeof letter, "-%c, ", desc->letter);
  int used = snprintf(left, sizeof left, "  %s--%s%s%s", letter, desc->name, desc->argument ? " " : "",
                      desc->argument ? desc->argument : "");
  fputs(left, out);
  if (used > COLUMN - 2) fputc('\n', out);
  fprintf(out, "%*s", used > COLUMN - 2 ? COLUMN : COLUMN - used, "");
  snprintf(text, sizeof text, "%s%s%s%s", desc->help, desc->usual != NULL ? " (default: " : "",
           desc->usual != NULL ? desc->usual : "", desc->usual != NULL ? ")" : "");
  wrap_paragraph(out, text, WIDTH, COLUMN);
}

void options_help(enum command command, FILE *out) {
  if (command > COMMAND_CHECK) command = COMMAND_RUN;
  print_usage(command, out);
  const char *section = "";
  for (size_t i = 0; i < option_count; i++) {
    if ((option_table[i].commands & command_table[command].bit) == 0) continue;
    if (strcmp(option_table[i].section, section) != 0) fprintf(out, "\n%s\n", option_table[i].section);
    section = option_table[i].section;
    print_option(&option_table[i], out);
  }
  fputc('\n', out);
  for (size_t i = 0; i < note_count; i++) {
    if ((note_table[i].commands & command_table[command].bit) == 0) continue;
    fprintf(out, "%-*s", NOTE_COLUMN, note_table[i].heading);
    wrap_paragraph(out, note_table[i].text, WIDTH, NOTE_COLUMN);
  }
}
