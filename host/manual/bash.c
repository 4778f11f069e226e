/* Completion for bash. Where it offers nothing bash offers files. */
#include "manual/manual.h"
#include "manual/values.h"

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

static void put_options(FILE *out, const struct command_desc *command) {
  fprintf(out, "    %s) words=\"", command->name);
  const char *before = "";
  for (size_t i = 0; i < option_count; i++) {
    if ((option_table[i].commands & command->bit) == 0) continue;
    fprintf(out, "%s--%s", before, option_table[i].name);
    before = " ";
  }
  fputs("\" ;;\n", out);
}

void manual_bash(FILE *out) {
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
    put_options(out, &command_table[i]);
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
