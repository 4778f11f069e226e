/* A history folder in, a trend out: to the terminal, to files. */
#include <stdio.h>
#include <string.h>

#include "base/grid.h"
#include "base/memory.h"
#include "base/output.h"
#include "commands/history.h"
#include "export/export.h"
#include "history/series.h"
#include "site/site.h"
#include "terminal/terminal.h"

static int write_csv(const void *what, FILE *out, struct err *err) {
  return trend_csv_write(what, out, err);
}

static int write_json(const void *what, FILE *out, struct err *err) {
  return trend_json_write(what, out, err);
}

static int print_outputs(const struct trend *trend, const struct options *options, struct err *err) {
  if (output_write(options->outputs.csv, write_csv, trend, err) != 0) return -1;
  if (output_write(options->outputs.json, write_json, trend, err) != 0) return -1;
  if (options_use_stdout(options)) return output_finish(err);
  const struct trend_look look = {.color = output_color(options->common.color),
                                  .utf8 = output_utf8(),
                                  .quiet = options->common.quiet,
                                  .verbose = options->common.verbosity > 0};
  struct memory_text printing;
  trend_print(trend, memory_text_begin(&printing), &look);
  SCOPED char *text = memory_text_end(&printing);
  wrap_print(stdout, text, output_wrap());
  return output_finish(err);
}

static int publish(const struct history *history, const struct trend *trend, const struct options *options,
                   struct err *err) {
  bool in_steps = false;
  if (options->trend.site == NULL) return 0;
  if (site_publish(history, trend, options->trend.site, &in_steps, err) != 0) {
    err->exit_code = EXIT_USAGE; /* nothing but the folder is at fault: what stands in it was read before */
    return err_context(err, "--site");
  }
  if (in_steps)
    fprintf(stderr, "gpubench: %s was missing for an instant: this file system cannot exchange two folders\n",
            options->trend.site);
  return 0;
}

int trend_command(const struct options *options, struct err *err) {
  const struct history_choice choice = {
      .by_uuid = history_by_uuid(options), .benches = &options->cli.benches, .variants = &options->cli.variants};
  struct history history;
  struct history_data data = {0};
  struct trend trend = {0};
  if (history_open(options->arguments.items[0], false, &history, err) != 0) return err->exit_code;
  int rc = history_read(&history, &choice, &data, err);
  for (size_t i = 0; i < data.damaged.count; i++)
    fprintf(stderr, "gpubench: left out: %s\n", data.damaged.items[i]);
  if (rc == 0 && choice.benches->count + choice.variants->count > 0 && data.series_count == 0)
    rc = err_set(err, EXIT_USAGE, "no series of these nights match --bench and --variant");
  if (rc == 0) trend_build(&data, &trend);
  if (rc == 0) rc = publish(&history, &trend, options, err);
  if (rc == 0) rc = print_outputs(&trend, options, err);
  const int code = rc == 0 ? trend_exit_code(&trend) : err->exit_code;
  if (rc == 0 && code != EXIT_OK && options->common.quiet)
    err_set(err, code, "the last night: %s",
            code == EXIT_REGRESSION ? "a regression"
            : code == EXIT_FAILED   ? "something failed"
                                    : "something is not confirmed");
  trend_free(&trend);
  history_data_free(&data);
  history_close(&history);
  if (err->exit_code != 0) text_sanitize(err->text);
  return code;
}
