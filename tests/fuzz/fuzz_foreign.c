/* Reads the input as a file of foreign rows (results that another tool measured), both as people write it and as a run
 * directory holds it. Adds the rows to the cases of a run, and writes them again. */
#include "base/memory.h"
#include "export/export.h"
#include "fuzz.h"
#include "html/report.h"
#include "record/run_load.h"
#include "summary/foreign.h"
#include "terminal/terminal.h"

static const char results[] =
    "bench,case_key,variant,mode,status,median_raw_ns,baseline,device_name,flops,bytes,math\n"
    "b/x,\"b/x[n=1]\",base,cold,ok,100,base,GPU,1000,10,fp32\n"
    "b/x,\"b/x[n=1]\",fast,cold,ok,50,base,GPU,1000,10,bf16\n"
    "b/x,\"b/x[n=2]\",base,cold,skipped,,base,GPU,1000,10,fp32\n"
    "b/x,\"b/x[n=1]\",base,hot,ok,90,base,GPU,1000,10,fp32\n";

/* Makes a run of two cases, anew for each input. */
static void make_run(struct run_data *data) {
  struct err err = {0};
  FILE *in = fmemopen((char *)results, sizeof results - 1, "r");
  *data = (struct run_data){.runs = xcalloc(1, sizeof *data->runs), .run_count = 1};
  MUST(run_file_results(in, "results", data, &err) == 0);
  fclose(in);
}

static int read_from(const uint8_t *text, size_t size, bool strict, struct foreign_rows *rows) {
  struct fuzz_file file = fuzz_file(text, size);
  struct err err = {0};
  FILE *in = fopen(file.path, "r");
  int result = foreign_read(in, "input", strict, rows, &err);
  text_sanitize(err.text);
  if (result != 0) fuzz_refused(&err, EXIT_FAILED, EXIT_FAILED);
  fclose(in);
  close(file.fd);
  return result;
}

static char *write_rows(const struct foreign_rows *rows, size_t *size) {
  char *text = NULL;
  struct err err = {0};
  FILE *out = open_memstream(&text, size);
  MUST(foreign_write_header(out, &err) == 0);
  for (size_t i = 0; i < rows->count; i++)
    MUST(foreign_write_row(out, &rows->items[i], &err) == 0);
  MUST(fclose(out) == 0);
  return text;
}

/* Checks that rows survive writing and reading unchanged. */
static void read_again(const struct foreign_rows *rows) {
  struct foreign_rows again;
  size_t size, size_again;
  char *text = write_rows(rows, &size);
  MUST(read_from((const uint8_t *)text, size, true, &again) == 0 && again.count == rows->count);
  char *text_again = write_rows(&again, &size_again);
  MUST(size == size_again && memcmp(text, text_again, size) == 0);
  foreign_free(&again);
  free(text);
  free(text_again);
}

static int write_table(const struct run_data *data, FILE *out, struct err *err) {
  (void)err;
  table_print(data, out, 100, false, true);
  return 0;
}

static void report(const struct run_data *data) {
  static const export_fn outputs[] = {write_table, html_write, export_json, export_markdown};
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
    char *text = NULL;
    size_t size;
    struct err err = {0};
    FILE *out = open_memstream(&text, &size);
    MUST(outputs[i](data, out, &err) == 0 && fclose(out) == 0);
    for (char *end = i == 0 ? strchr(text, '\n') : NULL; end != NULL; end = strchr(end, '\n'))
      *end = ' ';
    MUST(i != 0 || fuzz_printable(text)); /* no text in a file may control the terminal */
    free(text);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct foreign_rows rows;
  struct run_data run;
  if (size == 0) return 0;
  if (read_from(data + 1, size - 1, data[0] % 2 == 0, &rows) != 0) return 0;
  read_again(&rows);
  make_run(&run);
  foreign_merge(&run.foreign, &rows, data[0] & 2 ? 0 : FOREIGN_ANY_RUN);
  run_data_share(&run);
  report(&run);
  run_data_free(&run);
  return 0;
}
