/* Compares runs, and writes the result for the terminal, as Markdown, HTML and other formats, and as an exit code. */
#include "commands/commands.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/memory.h"
#include "base/output.h"
#include "commands/against.h"
#include "compare/compare.h"
#include "export/export.h"
#include "html/report.h"
#include "record/find.h"
#include "record/run_data.h"
#include "terminal/terminal.h"

#define FILE_OF(member) offsetof(struct options_outputs, member)

/* The options for output files, and the functions that write them. */
static const struct output {
  size_t file;
  int (*write)(const struct compare *compare, FILE *out, struct err *err);
} outputs[] = {{FILE_OF(html), compare_html_write},
               {FILE_OF(markdown), compare_markdown_write},
               {FILE_OF(json), compare_json_write},
               {FILE_OF(junit), compare_junit_write},
               {FILE_OF(ctrf), compare_ctrf_write}};

struct job {
  const struct compare *compare;
  const struct output *output;
};

static int do_job(const void *what, FILE *out, struct err *err) {
  const struct job *job = what;
  return job->output->write(job->compare, out, err);
}

static int output_compare(const struct compare *compare, const struct options *options, struct err *err) {
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
    const struct job job = {compare, &outputs[i]};
    const char *file = *(char *const *)((const char *)&options->outputs + outputs[i].file);
    if (output_write(file, do_job, &job, err) != 0) return -1;
  }
  if (options_use_stdout(options)) return output_finish(err);
  const struct compare_look look = {.width = output_width(),
                                    .color = output_color(options->common.color),
                                    .utf8 = output_utf8(),
                                    .quiet = options->common.quiet,
                                    .verbose = options->common.verbosity > 0};
  struct memory_text printing;
  compare_table_print(compare, memory_text_begin(&printing), &look);
  SCOPED char *text = memory_text_end(&printing);
  wrap_print(stdout, text, options->common.quiet ? 0 : output_wrap());
  return output_finish(err);
}

static int apply_gate(const struct compare *compare, const struct options *options, struct err *err) {
  struct gate gate = {0};
  gate_add(&gate, compare);
  return gate_judge(&gate, options, err);
}

static int compare_runs(const struct options *options, const struct run_data *runs, struct err *err) {
  size_t count = options->arguments.count;
  const struct compare_options how = compare_options_of(options);
  SCOPED struct compare_input *inputs = xcalloc(count, sizeof *inputs);
  struct compare compare;
  for (size_t i = 0; i < count; i++)
    inputs[i] = (struct compare_input){options->arguments.items[i], &runs[i], NULL};
  compare_build(&how, &inputs[0], &inputs[1], count - 1, &compare);
  int result = output_compare(&compare, options, err);
  if (result == 0) result = apply_gate(&compare, options, err);
  compare_free(&compare);
  return result;
}

int compare_command(const struct options *options, struct err *err) {
  size_t count = options->arguments.count, loaded = 0;
  SCOPED struct run_data *runs = xcalloc(count, sizeof *runs);
  SCOPED_STRINGS struct strings paths = {0};
  if (find_runs(&options->arguments, &paths, err) == 0)
    while (loaded < count && run_data_load_proven(paths.items[loaded], &runs[loaded], err) == 0)
      loaded++;
  int result = loaded == count ? compare_runs(options, runs, err) : -1;
  for (size_t i = 0; i < loaded; i++)
    run_data_free(&runs[i]);
  if (err->exit_code != 0) text_sanitize(err->text);
  return result == 0 ? EXIT_OK : err->exit_code;
}
