/* Rows to cases; samples to epochs. */
#include "run/resume_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/csv.h"
#include "record/csv_read.h"

/* ---- Which cases are complete? ---- */

/* `id`: of its device; NULL: of any. */
static bool is_row_of(const struct record *row, const struct plan_case *p, const char *variant, const char *id) {
  return (id == NULL || strcmp(text_or_empty(row->devices), id) == 0) &&
         strcmp(text_or_empty(row->case_key), p->key) == 0 &&
         strcmp(text_or_empty(row->mode), mode_name(p->mode)) == 0 && strcmp(text_or_empty(row->variant), variant) == 0;
}

/* SIZE_MAX: there is none. Rows mostly stand in the plan's order: `*next` is the first that is looked at. */
static size_t find_row(const struct resume *r, const struct plan_case *p, const char *variant, const char *id,
                       size_t *next) {
  size_t count = resume_row_count(r);
  for (size_t i = 0; i < count; i++) {
    size_t row = (*next + i) % count;
    if (!is_row_of(&r->data.records[row], p, variant, id)) continue;
    *next = (row + 1) % count;
    return row;
  }
  return SIZE_MAX;
}

static bool is_over(const struct record *row) {
  return strcmp(text_or_empty(row->status), "not_run") != 0 &&
         strcmp(text_or_empty(row->stop_reason), "interrupted") != 0;
}

static void match_case(const struct resume *r, const struct plan_case *p, const char *id, struct resume_case *c,
                       size_t *next, size_t *matched) {
  c->rows = xcalloc(p->variant_count + 1, sizeof *c->rows);
  c->complete = true;
  for (size_t v = 0; v < p->variant_count; v++) {
    c->rows[v] = find_row(r, p, p->variants[v].name, id, next);
    *matched += c->rows[v] != SIZE_MAX;
    c->complete = c->complete && c->rows[v] != SIZE_MAX && is_over(&r->data.records[c->rows[v]]);
  }
}

static int other_plan(const struct resume *r, const struct plan *plan, struct err *err) {
  for (size_t row = 0; row < resume_row_count(r); row++) {
    const struct record *record = &r->data.records[row];
    bool planned = false;
    for (size_t i = 0; i < plan->count && !planned; i++)
      for (size_t v = 0; v < plan->cases[i].variant_count && !planned; v++)
        planned = is_row_of(record, &plan->cases[i], plan->cases[i].variants[v].name, NULL);
    if (!planned)
      return err_set(err, EXIT_USAGE, "cannot resume: results.csv has %.500s %.130s %.40s, which is not in the plan",
                     text_or_empty(record->case_key), text_or_empty(record->variant), text_or_empty(record->mode));
  }
  return err_set(err, EXIT_USAGE, "cannot resume: results.csv has a row twice");
}

/* ---- Epochs ---- */

enum { SAMPLE_CASE = 0, SAMPLE_MODE = 2, SAMPLE_EPOCH = 3, SAMPLE_FIELDS = 7 };

struct epochs {
  struct resume *resume;
  const struct plan *plan;
  size_t last; /* case of the row before */
};

static int samples_header(void *user, char **fields, size_t count, struct err *err) {
  (void)user, (void)fields;
  return count == SAMPLE_FIELDS ? 0 : err_set(err, EXIT_USAGE, "not the columns of samples.csv");
}

static int samples_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  (void)count, (void)err;
  struct epochs *e = user;
  if (!complete) return 0;
  csv_unguard(fields[SAMPLE_CASE]);
  unsigned long epoch = strtoul(fields[SAMPLE_EPOCH], NULL, 10);
  for (size_t i = 0; i < e->plan->count; i++) {
    size_t at = (e->last + i) % e->plan->count;
    const struct plan_case *p = &e->plan->cases[at];
    if (strcmp(fields[SAMPLE_CASE], p->key) != 0 || strcmp(fields[SAMPLE_MODE], mode_name(p->mode)) != 0) continue;
    uint32_t *used = &e->resume->epochs_used[at];
    if (epoch > *used && epoch < UINT32_MAX) *used = (uint32_t)epoch;
    e->last = at;
    break;
  }
  return 0;
}

static int find_epochs(struct resume *r, const struct rundir *dir, const struct plan *plan, struct err *err) {
  char path[sizeof dir->path + 64];
  struct epochs epochs = {r, plan, 0};
  const struct csv_handler handler = {samples_header, samples_row, &epochs};
  bool torn;
  resume_path(dir, rundir_file_name(FILE_SAMPLES), path, sizeof path);
  size_t size;
  char *text = resume_read_file(path, &size); /* may be cut within its header, which is no error here */
  bool headed = text != NULL && memchr(text, '\n', size) != NULL;
  free(text);
  if (!headed || csv_read(path, &handler, &torn, err) == 0) return 0;
  err->exit_code = EXIT_USAGE;
  return -1;
}

/* The device's as it was recorded: one that cannot be used now has its rows all the same. */
static const char *recorded_id(const struct resume *r, size_t number, const struct resume_device *device) {
  const char *id = resume_get_device(r, number, "id");
  return id != NULL ? id : device->id;
}

int resume_match(struct resume *r, const struct rundir *dir, const struct plan *plan,
                 const struct resume_device *devices, size_t device_count, struct err *err) {
  size_t next = 0, matched = 0;
  r->case_count = plan->count * device_count;
  r->cases = xcalloc(r->case_count, sizeof *r->cases);
  r->epochs_used = xcalloc(plan->count, sizeof *r->epochs_used);
  for (size_t i = 0; i < r->case_count; i++) {
    size_t device = i / plan->count;
    const char *id = device_count > 1 ? recorded_id(r, device + 1, &devices[device]) : NULL;
    if (device_count > 1 && id == NULL) id = ""; /* it was never of use: no row is its own */
    match_case(r, &plan->cases[i % plan->count], id, &r->cases[i], &next, &matched);
  }
  if (matched != resume_row_count(r)) return other_plan(r, plan, err);
  return find_epochs(r, dir, plan, err);
}
