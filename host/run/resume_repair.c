/* Cuts off, drops, opens. */
#include "run/resume_repair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Everything up to the last line end. */
static size_t whole_rows(const char *text, size_t size) {
  while (size > 0 && text[size - 1] != '\n')
    size--;
  return size;
}

/* Opens a file to go on behind its last complete row; one that has not even a header is made anew. */
static int take_up(struct rundir *dir, enum run_file which, struct err *err) {
  char path[sizeof dir->path + 64];
  size_t size;
  resume_path(dir, rundir_file_name(which), path, sizeof path);
  char *text = resume_read_file(path, &size);
  bool there = text != NULL;
  size = there ? whole_rows(text, size) : 0;
  free(text);
  if (size > 0) return rundir_attach(dir, which, (int64_t)size, err);
  if (!there && which >= FILE_GRAPH) return 0;
  if (there && remove(path) != 0) return err_set(err, EXIT_FAILED, "%s: %s", path, strerror(errno));
  return which >= FILE_GRAPH ? 0 : rundir_make(dir, which, err);
}

/* The rows of complete cases, as they are. */
static char *kept_rows(const struct resume *r, const struct plan *plan, size_t *size) {
  struct memory_text rows;
  char *header = resume_header();
  bool *keep = xcalloc(resume_row_count(r) + 1, sizeof *keep);
  for (size_t i = 0; i < r->case_count; i++)
    for (size_t v = 0; r->cases[i].complete && v < plan->cases[i % plan->count].variant_count; v++)
      keep[r->cases[i].rows[v]] = true;
  FILE *out = memory_text_begin(&rows);
  fputs(header, out);
  for (size_t row = 0; row < resume_row_count(r); row++)
    if (keep[row]) fwrite(r->text + r->ends[row], 1, r->ends[row + 1] - r->ends[row], out);
  free(header);
  free(keep);
  char *text = memory_text_end(&rows);
  *size = rows.size;
  return text;
}

/* Written anew unless they are the beginning of what is there. */
static int repair_results(const struct resume *r, struct rundir *dir, const struct plan *plan, struct err *err) {
  size_t size;
  SCOPED char *text = kept_rows(r, plan, &size);
  bool begins = size <= r->size && memcmp(text, r->text, size) == 0;
  int rc = begins ? 0 : rundir_put(dir, rundir_file_name(FILE_RESULTS), text, size, err);
  return rc == 0 ? rundir_attach(dir, FILE_RESULTS, (int64_t)size, err) : -1;
}

int resume_repair(const struct resume *r, struct rundir *dir, const struct plan *plan, struct err *err) {
  for (enum run_file i = FILE_SAMPLES; i < RUN_FILE_COUNT; i++)
    if (take_up(dir, i, err) != 0) return -1;
  return repair_results(r, dir, plan, err);
}
