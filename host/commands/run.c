/* A run, and the report that it ends with. */
#include "commands/run.h"

#include "commands/report.h"
#include "run/run.h"
#include "worker/signals.h"

/* Whoever has asked twice to stop does not wait for a report; from now on asking once is enough. */
static int report(const struct run_state *run, const struct options *options, struct err *err) {
  if (!run->recording.done || signals_insisted()) return 0;
  signals_release();
  return report_run(run->recording.dir.path, &run->comparison.against, options, err);
}

int run_command(struct options *options, int argc, char **argv, struct err *err) {
  struct run_state run;
  int rc = run_to_rows(&run, options, argc, argv, err);
  if (rc == 0) rc = report(&run, options, err);
  int code = run_exit_code(&run, rc, err);
  run_free(&run);
  return code;
}
