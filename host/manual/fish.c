/* Completion for fish. */
#include "manual/manual.h"
#include "manual/values.h"

/* Text between single quotes. */
static void put_text(FILE *out, const char *text) {
  for (; *text != '\0'; text++)
    fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
}

/* Holds while the words typed so far say one of these commands; `run` is what none says. */
static void put_condition(FILE *out, unsigned commands) {
  if ((commands & ALL) == ALL) return;
  const bool negated = (commands & RUN) != 0;
  fprintf(out, " -n '%s__fish_seen_subcommand_from", negated ? "not " : "");
  if (negated) commands = ~commands;
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if ((commands & command_table[i].bit) != 0) fprintf(out, " %s", command_table[i].name);
  fputc('\'', out);
}

static void put_option(FILE *out, const struct option_desc *desc) {
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
  put_text(out, desc->help);
  fputs("'\n", out);
}

void manual_fish(FILE *out) {
  fputs("# fish completion for gpubench: made of its table of options\n", out);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    fprintf(out, "complete -c gpubench -n __fish_use_subcommand -a %s -d '", command_table[i].name);
    put_text(out, command_table[i].purpose);
    fputs("'\n", out);
  }
  for (size_t i = 0; i < option_count; i++)
    put_option(out, &option_table[i]);
}
