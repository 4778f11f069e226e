/* --help, from the table. */
#include <string.h>

#include "base/grid.h"
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
          "  gpubench list | report | compare | new | check | history | trend | doctor\n"
          "                                           see gpubench COMMAND --help\n",
          out);
    return;
  }
  fprintf(out, "gpubench %s%s%s [options]\n\n", desc->name, desc->arguments[0] != '\0' ? " " : "", desc->arguments);
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

static bool is_of(const struct option_desc *desc, const char *section, unsigned commands) {
  return (desc->commands & commands) != 0 && strcmp(desc->section, section) == 0;
}

bool option_begins_section(size_t index, unsigned commands) {
  const char *section = option_table[index].section;
  for (size_t i = 0; i < index; i++)
    if (is_of(&option_table[i], section, commands)) return false;
  return is_of(&option_table[index], section, commands);
}

static void print_section(size_t first, unsigned commands, FILE *out) {
  const char *section = option_table[first].section;
  fprintf(out, "\n%s\n", section);
  for (size_t i = first; i < option_count; i++)
    if (is_of(&option_table[i], section, commands)) print_option(&option_table[i], out);
}

void options_help(enum command command, FILE *out) {
  if (command > COMMAND_DOCTOR) command = COMMAND_RUN;
  print_usage(command, out);
  for (size_t i = 0; i < option_count; i++)
    if (option_begins_section(i, command_table[command].bit)) print_section(i, command_table[command].bit, out);
  fputc('\n', out);
  for (size_t i = 0; i < note_count; i++) {
    if ((note_table[i].commands & command_table[command].bit) == 0) continue;
    fprintf(out, "%-*s", NOTE_COLUMN, note_table[i].heading);
    wrap_paragraph(out, note_table[i].text, WIDTH, NOTE_COLUMN);
  }
}
