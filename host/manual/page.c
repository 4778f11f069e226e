/* The man page gpubench(1), in the macros of man(7). */
#include <string.h>

#include "manual/manual.h"
#include "options/table.h"

/* Writes text escaped for roff; hyphens become minus signs, as in options. */
static void put_text(FILE *out, const char *text) {
  if (*text == '.' || *text == '\'') fputs("\\&", out);
  for (; *text != '\0'; text++) {
    if (*text == '\\')
      fputs("\\e", out);
    else if (*text == '-')
      fputs("\\-", out);
    else
      fputc(*text, out);
  }
}

static void put_synopsis(FILE *out) {
  fputs(".SH SYNOPSIS\n", out);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    const char *run = command_table[i].command == COMMAND_RUN ? "[" : "";
    fprintf(out, ".B gpubench\n%s%s%s ", run, command_table[i].name, *run != '\0' ? "]" : "");
    put_text(out, command_table[i].arguments);
    fputs(command_table[i].arguments[0] != '\0' ? " [options]\n.br\n" : "[options]\n.br\n", out);
  }
}

static void put_commands(FILE *out) {
  fputs(".SH COMMANDS\n", out);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    fprintf(out, ".TP\n.B %s\n", command_table[i].name);
    put_text(out, command_table[i].purpose);
    fputc('\n', out);
  }
}

/* Writes " Of run, list."; nothing if all commands have the option. */
static void put_commands_of(FILE *out, unsigned commands) {
  if ((commands & ALL) == ALL) return;
  const char *before = " Of ";
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if ((commands & command_table[i].bit) == 0) continue;
    fprintf(out, "%s%s", before, command_table[i].name);
    before = ", ";
  }
  fputc('.', out);
}

static void put_option(FILE *out, const struct option_desc *desc) {
  fputs(".TP\n", out);
  if (desc->letter) fprintf(out, "\\fB\\-%c\\fR, ", desc->letter);
  fputs("\\fB", out);
  put_text(out, "--");
  put_text(out, desc->name);
  fputs("\\fR", out);
  if (desc->argument != NULL) {
    fputs(" \\fI", out);
    put_text(out, desc->argument);
    fputs("\\fR", out);
  }
  fputc('\n', out);
  put_text(out, desc->help);
  if (desc->usual != NULL) {
    fputs(" (default: ", out);
    put_text(out, desc->usual);
    fputc(')', out);
  }
  fputc('.', out);
  put_commands_of(out, desc->commands);
  fputc('\n', out);
}

static void put_option_sections(FILE *out) {
  fputs(".SH OPTIONS\n", out);
  for (size_t i = 0; i < option_count; i++) {
    if (!option_begins_section(i, ALL)) continue;
    fprintf(out, ".SS %s\n", option_table[i].section);
    for (size_t j = i; j < option_count; j++)
      if (strcmp(option_table[j].section, option_table[i].section) == 0) put_option(out, &option_table[j]);
  }
}

void manual_page(FILE *out) {
  fputs(".TH GPUBENCH 1 \"\" \"gpubench " GPUBENCH_VERSION
        "\"\n.SH NAME\n"
        "gpubench \\- benchmark GPU kernels from plugins; verified, compared, with confidence intervals\n",
        out);
  put_synopsis(out);
  put_commands(out);
  put_option_sections(out);
  for (size_t i = 0; i < note_count; i++) {
    fprintf(out, ".SH %s\n", note_table[i].heading);
    put_text(out, note_table[i].text);
    fputc('\n', out);
  }
}
