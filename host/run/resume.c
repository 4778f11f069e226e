/* Reads the files of a run. */
#include "run/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/csv.h"

void resume_path(const struct rundir *dir, const char *name, char *to, size_t size) {
  snprintf(to, size, "%s/%s", dir->path, name);
}

/* ---- run.ini ---- */

/* "name = value" as run_ini_write() has it. */
static void take_pair(struct pairs *pairs, char *line) {
  char *equals = strstr(line, " = ");
  if (equals == NULL) return;
  *equals = '\0';
  text_percent_decode(equals + 3);
  pairs_add_text(pairs, line, equals + 3);
}

/* "[case-12]" */
static void take_number(struct resume *r, const char *line) {
  unsigned long long number = 0;
  if (sscanf(line, "[case-%18llu]", &number) != 1) return;
  r->numbers = xgrow(r->numbers, r->number_count, sizeof *r->numbers);
  r->numbers[r->number_count++] = (size_t)number;
}

static int read_ini(struct resume *r, const struct rundir *dir, struct err *err) {
  char path[sizeof dir->path + 64], *line = NULL;
  size_t size = 0;
  struct pairs *section = NULL;
  resume_path(dir, rundir_file_name(FILE_RESULTS), path, sizeof path);
  if (access(path, F_OK) != 0)
    return err_set(err, EXIT_USAGE, "%s is not a run directory: %s", dir->path, strerror(errno));
  resume_path(dir, "run.ini", path, sizeof path);
  FILE *in = fopen(path, "re");
  if (in == NULL && errno == ENOENT)
    return err_set(err, EXIT_USAGE, "%s has no run.ini: it ended before it had a plan, so there is nothing to resume",
                   dir->path);
  if (in == NULL) return err_set(err, EXIT_USAGE, "%s: %s", path, strerror(errno));
  while (getline(&line, &size, in) > 0) {
    line[strcspn(line, "\r\n")] = '\0';
    take_number(r, line);
    if (line[0] == '[')
      section = strcmp(line, "[environment]") == 0 ? &r->environment : strcmp(line, "[tags]") == 0 ? &r->tags : NULL;
    else if (section != NULL)
      take_pair(section, line);
  }
  free(line);
  fclose(in);
  return 0;
}

const char *resume_get(const struct resume *r, const char *name) {
  return pairs_get(&r->environment, name);
}

const char *resume_get_device(const struct resume *r, size_t number, const char *name) {
  char key[ID_SIZE];
  snprintf(key, sizeof key, "device.%zu.%s", number, name);
  const char *own = resume_get(r, key);
  return own != NULL ? own : resume_get(r, name);
}

/* ---- results.csv ---- */

char *resume_read_file(const char *path, size_t *size) {
  FILE *in = fopen(path, "re");
  char *text = NULL;
  size_t got, room = 0;
  *size = 0;
  if (in == NULL) return NULL;
  do {
    room = room ? 2 * room : 1 << 16;
    text = xrealloc(text, room + 1, 1);
    got = fread(text + *size, 1, room - *size, in);
    *size += got;
  } while (got > 0);
  text[*size] = '\0';
  fclose(in);
  return text;
}

/* A row ends at a line end that no quotation marks enclose. */
static void find_ends(struct resume *r) {
  bool quoted = false;
  for (size_t i = 0; i < r->size; i++) {
    if (r->text[i] == '"') quoted = !quoted;
    if (quoted || r->text[i] != '\n') continue;
    r->ends = xgrow(r->ends, r->end_count, sizeof *r->ends);
    r->ends[r->end_count++] = i + 1;
  }
}

char *resume_header(void) {
  struct memory_text header;
  struct err ignored = {0};
  csv_write_header(memory_text_begin(&header), &ignored);
  return memory_text_end(&header);
}

static int check_header(const struct resume *r, const char *path, struct err *err) {
  SCOPED char *header = resume_header();
  bool same = strlen(header) == r->ends[0] && memcmp(header, r->text, r->ends[0]) == 0;
  return same ? 0 : err_set(err, EXIT_USAGE, "%s has other columns than this version of gpubench writes", path);
}

static int read_results(struct resume *r, const struct rundir *dir, struct err *err) {
  char path[sizeof dir->path + 64];
  resume_path(dir, rundir_file_name(FILE_RESULTS), path, sizeof path);
  r->text = resume_read_file(path, &r->size);
  if (r->text == NULL) return err_set(err, EXIT_USAGE, "%s: %s: not a run directory", path, strerror(errno));
  find_ends(r);
  if (r->end_count == 0) return 0; /* it died writing the header */
  return check_header(r, path, err) == 0 && run_data_load(path, &r->data, err) == 0 ? 0 : -1;
}

/* Rows of which none may have been rewritten since. */
static int check_rows(const struct resume *r, const struct rundir *dir, struct err *err) {
  struct run_data data;
  if (r->data.count == 0) return 0;
  if (run_data_load_proven(dir->path, &data, err) != 0) return err_context(err, "cannot resume");
  run_data_free(&data);
  return 0;
}

int resume_load(const char *path, struct rundir *dir, struct resume *r, struct err *err) {
  *r = (struct resume){0};
  if (rundir_open(path, dir, err) != 0 || read_ini(r, dir, err) != 0 || read_results(r, dir, err) != 0) return -1;
  if (r->end_count <= r->data.count + 1) return check_rows(r, dir, err);
  return err_set(err, EXIT_USAGE, "%s/%s: empty lines between its rows: not as gpubench left it", dir->path,
                 rundir_file_name(FILE_RESULTS));
}

void resume_free(struct resume *r) {
  pairs_free(&r->environment);
  pairs_free(&r->tags);
  run_data_free(&r->data);
  free(r->text);
  free(r->ends);
  free(r->numbers);
  for (size_t i = 0; i < r->case_count; i++)
    free(r->cases[i].rows);
  free(r->cases);
  free(r->epochs_used);
  *r = (struct resume){0};
}

size_t resume_row_count(const struct resume *r) {
  return r->end_count > 0 ? r->end_count - 1 : 0;
}
