/* Reads a run directory with files from the input, and writes every report of it. A line "--- NAME" in the input
 * begins each file; the bytes before the first such line are results.csv. */
#include <sys/stat.h>

#include "base/memory.h"
#include "compare/compare.h"
#include "diagram/program.h"
#include "export/export.h"
#include "fuzz.h"
#include "html/report.h"
#include "record/run_load.h"
#include "terminal/terminal.h"

static const char *const names[] = {"results.csv", "run.ini", "samples.csv", "slots.csv", "graph.csv", "foreign.csv"};
enum { NAMES = sizeof names / sizeof names[0] };

static char folder[4096], paths[NAMES][4128];

static void remove_folder(void) {
  for (size_t i = 0; i < NAMES; i++)
    unlink(paths[i]);
  rmdir(folder);
}

static void make_folder(void) {
  const char *where = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/gpubench-fuzz-XXXXXX", where != NULL ? where : "/tmp");
  MUST(mkdtemp(folder) != NULL);
  for (size_t i = 0; i < NAMES; i++)
    snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
  atexit(remove_folder);
  diagram_program = ""; /* turns Graphviz off, which would run as another program */
}

/* Returns the index of the file whose "--- NAME" line begins at `text`, or NAMES if none does. *length is the length
 * of that line. */
static size_t name_at(const char *text, size_t left, size_t *length) {
  for (size_t i = 0; i < NAMES; i++) {
    *length = strlen(names[i]) + 5;
    if (*length <= left && memcmp(text, "--- ", 4) == 0 && memcmp(text + 4, names[i], *length - 5) == 0 &&
        text[*length - 1] == '\n')
      return i;
  }
  return NAMES;
}

static void write_files(const char *text, size_t size) {
  FILE *file = fopen(paths[0], "w");
  for (size_t i = 0; i < NAMES; i++)
    if (i > 0) unlink(paths[i]);
  for (size_t at = 0; at < size;) {
    size_t length, which = at == 0 || text[at - 1] == '\n' ? name_at(text + at, size - at, &length) : NAMES;
    if (which == NAMES) {
      fputc(text[at++], file);
      continue;
    }
    fclose(file);
    file = fopen(paths[which], "w");
    at += length;
  }
  fclose(file);
}

/* Returns the output as text; the caller frees it. */
static char *write_out(const struct run_data *data, export_fn write, size_t *size) {
  char *text = NULL;
  struct err err = {0};
  FILE *out = open_memstream(&text, size);
  MUST(write(data, out, &err) == 0 && fclose(out) == 0 && err.exit_code == 0);
  return text;
}

/* Checks that rows survive writing and reading unchanged. */
static void read_again(const struct run_data *data) {
  struct run_data again = {0};
  struct run_info info = {0};
  struct err err = {0};
  size_t size, size_again;
  char *text = write_out(data, export_csv, &size);
  FILE *in = fmemopen(text, size, "r");
  again.runs = xrealloc(NULL, 1, sizeof info);
  again.runs[0] = info;
  again.run_count = 1;
  MUST(run_file_results(in, "again", &again, &err) == 0 && again.count == data->count);
  char *text_again = write_out(&again, export_csv, &size_again);
  MUST(size == size_again && memcmp(text, text_again, size) == 0);
  fclose(in);
  free(text);
  free(text_again);
  run_data_free(&again);
}

static int write_table(const struct run_data *data, FILE *out, struct err *err) {
  (void)err;
  table_print(data, out, 80, false, true);
  return 0;
}

/* Compares the run with itself. */
static int write_comparison(const struct run_data *data, FILE *out, struct err *err, bool page) {
  const struct compare_options options = {.threshold = 0.02};
  const struct compare_look look = {.width = 80, .utf8 = true, .verbose = true};
  const struct compare_input input = {"run", data, NULL};
  struct compare compare;
  int rc = 0;
  compare_build(&options, &input, &input, 1, &compare);
  MUST(compare_verdict(&compare) < AGAINST_SLOWER);
  if (page)
    rc = compare_markdown_write(&compare, out, err) != 0 ? -1 : compare_html_write(&compare, out, err);
  else
    compare_table_print(&compare, out, &look);
  compare_free(&compare);
  return rc;
}

static int compare_text(const struct run_data *data, FILE *out, struct err *err) {
  return write_comparison(data, out, err, false);
}

static int compare_pages(const struct run_data *data, FILE *out, struct err *err) {
  return write_comparison(data, out, err, true);
}

/* Checks that no text of a run can control the terminal. */
static void check_text(char *text) {
  for (char *end = strchr(text, '\n'); end != NULL; end = strchr(end, '\n'))
    *end = ' ';
  MUST(fuzz_printable(text));
}

static void report(const struct run_data *data) {
  static const export_fn pages[] = {html_write,  export_json,   export_csv_wide,    export_markdown, export_junit,
                                    export_ctrf, export_gbench, export_openmetrics, compare_pages};
  static const export_fn texts[] = {write_table, compare_text};
  size_t size;
  for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
    free(write_out(data, pages[i], &size));
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char *text = write_out(data, texts[i], &size);
    check_text(text);
    free(text);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct run_data run;
  struct err err = {0};
  if (folder[0] == '\0') make_folder();
  write_files((const char *)data, size);
  if (run_data_load(folder, &run, &err) != 0) {
    fuzz_refused(&err, EXIT_USAGE, EXIT_FAILED);
    return 0;
  }
  read_again(&run);
  report(&run);
  run_data_free(&run);
  return 0;
}
