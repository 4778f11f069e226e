/* Completion for zsh, by its _arguments. */
#include "manual/manual.h"
#include "manual/values.h"

/* Text between single quotes, where _arguments gives ':', '[' and ']' a meaning. */
static void put_text(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      fputs("'\\''", out);
    else if (*text == ':' || *text == '[' || *text == ']' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else
      fputc(*text, out);
  }
}

/* '*--lock=[what to do]:wait|refuse|off:(wait refuse off)'; any option may come again. */
static void put_option(FILE *out, const struct option_desc *desc, const char *name, const char *joint) {
  char words[VALUES_SIZE];
  fprintf(out, "        '*%s%s[", name, desc->argument != NULL ? joint : "");
  put_text(out, desc->help);
  fputc(']', out);
  if (desc->argument != NULL) {
    fputc(':', out);
    put_text(out, desc->argument);
    fputc(':', out);
    values_words(desc, words);
    if (words[0] != '\0')
      fprintf(out, "(%s)", words);
    else if (values_are_files(desc))
      fputs("_files", out);
  }
  fputs("'\n", out);
}

static void put_command(FILE *out, const struct command_desc *command) {
  char name[64];
  fprintf(out, "    %s)\n      options=(\n", command->name);
  for (size_t i = 0; i < option_count; i++) {
    const struct option_desc *desc = &option_table[i];
    if ((desc->commands & command->bit) == 0) continue;
    snprintf(name, sizeof name, "--%s", desc->name);
    put_option(out, desc, name, "=");
    snprintf(name, sizeof name, "-%c", desc->letter);
    if (desc->letter) put_option(out, desc, name, "+");
  }
  fputs("      ) ;;\n", out);
}

void manual_zsh(FILE *out) {
  fputs(
      "#compdef gpubench\n# made of gpubench's table of options\n"
      "_gpubench_first() {\n  local -a commands=(\n",
      out);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    fprintf(out, "    '%s:", command_table[i].name);
    put_text(out, command_table[i].purpose);
    fputs("'\n", out);
  }
  fputs(
      "  )\n  _describe command commands\n  _files\n}\n"
      "_gpubench() {\n  local -a options\n  local command=$words[2]\n  case $command in\n    ",
      out);
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    fprintf(out, "%s%s", i > 0 ? "|" : "", command_table[i].name);
  fputs(") ;;\n    *) command=run ;;\n  esac\n  case $command in\n", out);
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    put_command(out, &command_table[i]);
  fputs("  esac\n  _arguments -s $options '1:command or plugin:_gpubench_first' '*:file:_files'\n}\n_gpubench \"$@\"\n",
        out);
}
