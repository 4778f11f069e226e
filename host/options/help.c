/* --help, from the table. */
#include <string.h>

#include "base/wrap.h"
#include "options/table.h"

#ifndef GPUBENCH_VERSION
#define GPUBENCH_VERSION "unknown"
#endif

enum { WIDTH = 80, COLUMN = 26 /* where the help of an option begins */ };

static const char *usage_of(enum command command) {
  switch (command) {
    case COMMAND_LIST:
      return "gpubench list [PLUGIN...] [options]\n\n"
             "Lists plugins with their benches, axes, presets and variants, the devices, and\n"
             "stored runs.\n";
    case COMMAND_REPORT:
      return "gpubench report RUN... [options]\n\n"
             "Writes the report and other outputs of a stored run, or of several as one.\n";
    case COMMAND_COMPARE:
      return "gpubench compare BASE NEW... [options]\n\n"
             "Shows what changed between stored runs, and may fail on a regression.\n";
    case COMMAND_RUN:
    case COMMAND_HELP:
    case COMMAND_VERSION:
      break;
  }
  return "gpubench " GPUBENCH_VERSION
         ": benchmark GPU kernels from plugins; verified, compared, with\nconfidence intervals\n\n"
         "  gpubench [run] PLUGIN... [options]       measure and write a report\n"
         "  gpubench list | report | compare         see gpubench COMMAND --help\n";
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
  if (command > COMMAND_COMPARE) command = COMMAND_RUN;
  fputs(usage_of(command), out);
  const char *section = "";
  for (size_t i = 0; i < option_count; i++) {
    if ((option_table[i].commands & command_table[command].bit) == 0) continue;
    if (strcmp(option_table[i].section, section) != 0) fprintf(out, "\n%s\n", option_table[i].section);
    section = option_table[i].section;
    print_option(&option_table[i], out);
  }
  fputs(
      "\nExit codes  0 ok; 1 regression (with --fail-on); 2 bad command line;\n"
      "            3 wrong, crashed or refused; 4 device unusable; 5 --fail-on could\n"
      "            not judge every row; 129, 130, 143 interrupted by a signal\n",
      out);
  if (command != COMMAND_LIST)
    fputs(
        "Runs        a run directory, a results.csv, a report.html, or in gpubench-out\n"
        "            ($GPUBENCH_OUT) a directory's name or a --name; last, or latest: the\n"
        "            newest run there; for --against the newest earlier one on such a\n"
        "            device that shares a row\n",
        out);
  if (command == COMMAND_RUN) fputs("Example     gpubench attention.so ./mine.so --baseline flash\n", out);
}
