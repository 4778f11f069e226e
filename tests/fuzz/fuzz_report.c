/* Reads a file that may be an HTML report or a single results.csv, and the data embedded in it. */
#include "base/memory.h"
#include "fuzz.h"
#include "record/embed.h"
#include "record/run_data.h"

/* Embeds the same runs in a page, as a report would. */
static char *embed(const struct run_data *data, size_t *size) {
  char *page = NULL;
  struct err err = {0};
  FILE *out = open_memstream(&page, size);
  fputc('<', out);
  for (size_t i = 0; i < data->run_count; i++) {
    const struct run_info *run = &data->runs[i];
    MUST(embed_results(out, i, data->records + run->first, run->count, &err) == 0);
    if (run->ini != NULL && run->ini[0] != '\0') embed_ini(out, i, run->ini);
    MUST(embed_foreign(out, i, data, &err) == 0);
  }
  MUST(fclose(out) == 0);
  return page;
}

/* Returns false for text that a page cannot hold: control characters other than newline and tab, and invalid bytes.
 * No run.ini that gpubench writes has any. */
static bool is_text(const char *ini) {
  char *copy = xstrdup(ini != NULL ? ini : "");
  for (char *s = copy; (s = strpbrk(s, "\n\t")) != NULL;)
    *s = ' ';
  bool clean = fuzz_printable(copy);
  free(copy);
  return clean;
}

static void load_again(const struct run_data *data) {
  size_t size, size_again;
  char *page = embed(data, &size);
  struct fuzz_file file = fuzz_file((const uint8_t *)page, size);
  struct run_data again;
  struct err err = {0};
  MUST(run_data_load(file.path, &again, &err) == 0);
  MUST(again.run_count == data->run_count && again.count == data->count);
  char *page_again = embed(&again, &size_again);
  MUST(size == size_again && memcmp(page, page_again, size) == 0);
  free(page);
  free(page_again);
  run_data_free(&again);
  close(file.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_file file = fuzz_file(data, size);
  struct run_data run;
  struct err err = {0};
  if (run_data_load(file.path, &run, &err) == 0) {
    bool whole = true;
    for (size_t i = 0; i < run.run_count; i++)
      whole = whole && is_text(run.runs[i].ini);
    if (whole) load_again(&run);
    run_data_free(&run);
  } else {
    fuzz_refused(&err, EXIT_USAGE, EXIT_FAILED);
  }
  close(file.fd);
  return 0;
}
