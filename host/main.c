/* main(): reads the command line and runs the command that it names. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "commands/commands.h"
#include "contract/new.h"
#include "doctor/command.h"
#include "machine/environment.h"
#include "options/options.h"
#include "worker/worker.h"

static int read_words(int argc, char **argv, struct options *options, struct err *err) {
  if (options_parse(argc, argv, options, err) == 0) return options_check_outputs(options, err);
  run_check_word(options, err); /* adds a hint if the first word is no command */
  return -1;
}

static int dispatch(struct options *options, int argc, char **argv, struct err *err) {
  switch (options->command) {
    case COMMAND_HELP:
      options_help(options->about, stdout);
      return EXIT_OK;
    case COMMAND_VERSION:
      environment_print_version(stdout);
      return EXIT_OK;
    case COMMAND_LIST:
      return list_command(options, err);
    case COMMAND_REPORT:
      return report_command(options, err);
    case COMMAND_COMPARE:
      return compare_command(options, err);
    case COMMAND_NEW:
      return new_command(options, err);
    case COMMAND_CHECK:
      return check_command(options, err);
    case COMMAND_HISTORY:
      return history_command(options, err);
    case COMMAND_TREND:
      return trend_command(options, err);
    case COMMAND_DOCTOR:
      return doctor_command(options, err);
    case COMMAND_RUN:
      break;
  }
  return run_command(options, argc, argv, err);
}

int main(int argc, char **argv) {
  struct options options;
  struct err err = {0};
  if (argc == 4 && strcmp(argv[1], WORKER_COMMAND) == 0) worker_main(atoi(argv[2]), argv[3]);
  setlocale(LC_CTYPE, ""); /* numbers stay in the C locale */
  int code = read_words(argc, argv, &options, &err) == 0 ? dispatch(&options, argc, argv, &err) : err.exit_code;
  text_sanitize(err.text); /* it may contain any bytes from the command line */
  if (err.exit_code != 0) fprintf(stderr, "gpubench: %s\n", err.text);
  options_free(&options);
  if (fflush(stdout) != 0 && errno != EPIPE && code == EXIT_OK) code = EXIT_FAILED;
  return code;
}
