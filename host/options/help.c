/* --help, from the table. */
#include <string.h>

#include "options/table.h"

#ifndef GPUBENCH_VERSION
#define GPUBENCH_VERSION "unknown"
#endif

static void print_usage(enum command command, FILE *out) {
  switch (command) {
    case COMMAND_LIST:
      fputs("gpubench list [PLUGIN...] [options]        plugins, benches, variants, axes, presets, devices\n", out);
      return;
    case COMMAND_REPORT:
      fputs(
          "gpubench report RUN... [options]           reports and other outputs of a run, or of several as one; each "
          "a\n"
          "                                           directory, a results.csv or a report.html\n",
          out);
      return;
    case COMMAND_COMPARE:
      fputs(
          "gpubench compare BASE NEW... [options]     what changed between runs; each a directory, a results.csv, a\n"
          "                                           report.html, a run's name in gpubench-out, latest or last\n",
          out);
      return;
    case COMMAND_RUN:
    case COMMAND_HELP:
    case COMMAND_VERSION:
      fputs("gpubench " GPUBENCH_VERSION
            ": benchmark GPU kernels from plugins; verified, compared, with intervals\n\n"
            "  gpubench [run] --plugin FILE [options]     measure, write a report (default command)\n"
            "  gpubench list | report | compare           COMMAND --help\n",
            out);
      return;
  }
}

static void print_option(const struct option_desc *desc, FILE *out) {
  char left[80], letter[8] = "";
  if (desc->letter) snprintf(letter, sizeof letter, "-%c, ", desc->letter);
  snprintf(left, sizeof left, "%s--%s%s%s", letter, desc->name, desc->argument ? " " : "",
           desc->argument ? desc->argument : "");
  fprintf(out, "  %-24s %s\n", left, desc->help);
}

void options_help(enum command command, FILE *out) {
  if (command > COMMAND_COMPARE) command = COMMAND_RUN;
  print_usage(command, out);
  const char *section = "";
  for (size_t i = 0; i < option_count; i++) {
    if ((option_table[i].commands & command_table[command].bit) == 0) continue;
    if (strcmp(option_table[i].section, section) != 0) fprintf(out, "\n%s\n", option_table[i].section);
    section = option_table[i].section;
    print_option(&option_table[i], out);
  }
  fputs(
      "\nExit       0 ok  1 confident regression  2 usage  3 wrong/crashed/refused\n"
      "           4 device unusable  5 --fail-on could not judge all  130/143 interrupted\n",
      out);
  if (command == COMMAND_RUN || command == COMMAND_REPORT)
    fputs(
        "Runs       a directory, a results.csv, a report.html, or in gpubench-out ($GPUBENCH_OUT) a --name;\n"
        "           latest: what the link gpubench-out/latest stands for; last: the newest earlier run\n"
        "           there that has timed one of these rows on such a device\n",
        out);
  if (command == COMMAND_RUN)
    fputs("Example    gpubench --plugin attention.so --plugin ./mine.so --baseline flash\n", out);
}
