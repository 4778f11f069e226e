/* gpubench-manual man|bash|zsh|fish FILE: writes the man page, or the completions for a shell, from the table of
 * options. The build runs it; it is not installed. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "options/table.h"

enum { VALUES_SIZE = 256 };

/* Values of options. */

/* Writes the values that an option accepts, separated by spaces: "wait refuse off"; "" if it accepts any text. */
static void values_words(const struct option_desc *desc, char to[VALUES_SIZE]) {
  to[0] = '\0';
  if (desc->kind != KIND_WORD) return;
  snprintf(to, VALUES_SIZE, "%s", desc->argument);
  for (char *at = to; *at != '\0'; at++)
    if (*at == '|') *at = ' ';
}

/* Returns true if the value is a file or a directory, such as a stored run. */
static bool values_are_files(const struct option_desc *desc) {
  return desc->argument != NULL && (desc->kind == KIND_FILE || strstr(desc->argument, "FILE") != NULL ||
                                    strstr(desc->argument, "DIR") != NULL || strstr(desc->argument, "RUN") != NULL);
}

/* Completion for bash. Bash completes file names where this completion offers nothing. */

static void put_cases(FILE *out, const struct option_desc *desc) {
  const char *before = "    ";
  char words[VALUES_SIZE];
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if ((desc->commands & command_table[i].bit) == 0) continue;
    fprintf(out, "%s%s:--%s", before, command_table[i].name, desc->name);
    before = " | ";
    if (desc->letter) fprintf(out, "%s%s:-%c", before, command_table[i].name, desc->letter);
  }
  values_words(desc, words);
  if (words[0] != '\0')
    fprintf(out, ") mapfile -t COMPREPLY < <(compgen -W \"%s\" -- \"$cur\"); return ;;\n", words);
  else
    fputs(") return ;;\n", out);
}

static void put_bash_options(FILE *out, const struct command_desc *command) {
  fprintf(out, "    %s) words=\"", command->name);
  const char *before = "";
  for (size_t i = 0; i < option_count; i++) {
    if ((option_table[i].commands & command->bit) == 0) continue;
    fprintf(out, "%s--%s", before, option_table[i].name);
    before = " ";
  }
  fputs("\" ;;\n", out);
}

static void manual_bash(FILE *out) {
  fputs(
      "# bash completion for gpubench: made of its table of options\n"
      "_gpubench() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words\n"
      "  COMPREPLY=()\n"
      "  # --lock=wait is three words\n"
      "  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
      "  case $command in\n    ",
      out);
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    fprintf(out, "%s%s", i > 0 ? " | " : "", command_table[i].name);
  fputs(") ;;\n    *) command=run ;;\n  esac\n  case $command:$prev in\n", out);
  for (size_t i = 0; i < option_count; i++)
    if (option_table[i].argument != NULL) put_cases(out, &option_table[i]);
  fputs("  esac\n  case $command in\n", out);
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    put_bash_options(out, &command_table[i]);
  fputs("  esac\n  if ((COMP_CWORD == 1)); then words+=\"", out);
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    fprintf(out, " %s", command_table[i].name);
  fputs(
      "\"; elif [[ $cur != -* ]]; then return; fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
      "}\n"
      "complete -o default -F _gpubench gpubench\n",
      out);
}

/* Completion for zsh, by its function _arguments. */

/* Writes text inside single quotes, with ':', '[' and ']' escaped for _arguments. */
static void put_zsh_text(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      fputs("'\\''", out);
    else if (*text == ':' || *text == '[' || *text == ']' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else
      fputc(*text, out);
  }
}

/* Writes '*--lock=[what to do]:wait|refuse|off:(wait refuse off)'. The '*' allows an option to be repeated. */
static void put_zsh_option(FILE *out, const struct option_desc *desc, const char *name, const char *joint) {
  char words[VALUES_SIZE];
  fprintf(out, "        '*%s%s[", name, desc->argument != NULL ? joint : "");
  put_zsh_text(out, desc->help);
  fputc(']', out);
  if (desc->argument != NULL) {
    fputc(':', out);
    put_zsh_text(out, desc->argument);
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
    put_zsh_option(out, desc, name, "=");
    snprintf(name, sizeof name, "-%c", desc->letter);
    if (desc->letter) put_zsh_option(out, desc, name, "+");
  }
  fputs("      ) ;;\n", out);
}

static void manual_zsh(FILE *out) {
  fputs(
      "#compdef gpubench\n# made of gpubench's table of options\n"
      "_gpubench_first() {\n  local -a commands=(\n",
      out);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    fprintf(out, "    '%s:", command_table[i].name);
    put_zsh_text(out, command_table[i].purpose);
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

/* Completion for fish. */

/* Writes text inside single quotes. */
static void put_fish_text(FILE *out, const char *text) {
  for (; *text != '\0'; text++)
    fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
}

/* Writes the condition that the words typed so far contain one of these commands. If no command has been typed, the
 * command is `run`. */
static void put_condition(FILE *out, unsigned commands) {
  if ((commands & ALL) == ALL) return;
  const bool negated = (commands & RUN) != 0;
  fprintf(out, " -n '%s__fish_seen_subcommand_from", negated ? "not " : "");
  if (negated) commands = ~commands;
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if ((commands & command_table[i].bit) != 0) fprintf(out, " %s", command_table[i].name);
  fputc('\'', out);
}

static void put_fish_option(FILE *out, const struct option_desc *desc) {
  char words[VALUES_SIZE];
  fputs("complete -c gpubench", out);
  put_condition(out, desc->commands);
  if (desc->letter) fprintf(out, " -s %c", desc->letter);
  fprintf(out, " -l %s", desc->name);
  values_words(desc, words);
  if (words[0] != '\0')
    fprintf(out, " -x -a '%s'", words);
  else if (desc->argument != NULL)
    fputs(values_are_files(desc) ? " -r -F" : " -x", out);
  fputs(" -d '", out);
  put_fish_text(out, desc->help);
  fputs("'\n", out);
}

static void manual_fish(FILE *out) {
  fputs("# fish completion for gpubench: made of its table of options\n", out);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    fprintf(out, "complete -c gpubench -n __fish_use_subcommand -a %s -d '", command_table[i].name);
    put_fish_text(out, command_table[i].purpose);
    fputs("'\n", out);
  }
  for (size_t i = 0; i < option_count; i++)
    put_fish_option(out, &option_table[i]);
}

/* ---- The man page gpubench(1), in the macros of man(7) ---- */

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

/* Writes which commands have an option, such as " Of run, list."; writes nothing if all of them have it. */
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

static void manual_page(FILE *out) {
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
