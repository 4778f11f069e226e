/* A history folder in, a trend out. */
#include "commands/history.h"

int trend_command(const struct options *options, struct err *err) {
  (void)options;
  return err_set(err, EXIT_USAGE, "trend: not yet");
}
