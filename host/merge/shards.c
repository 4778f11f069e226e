/* Reads shards (runs of parts of a plan), and reports errors in one shard and contradictions between several. */
#include "merge/shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "model/row_status.h"
#include "options/suite.h"
#include "plan/shard.h"
#include "record/find.h"

const char *shard_get(const struct shard_run *run, const char *name) {
  return pairs_get(&run->data.runs[0].environment, name);
}

size_t shard_devices(const struct shard_run *run) {
  const size_t several = run->data.runs[0].device_count;
  return several > 0 ? several : run->data.count > 0;
}

const char *shard_device_id(const struct shard_run *run, size_t device) {
  const struct run_info *info = &run->data.runs[0];
  return info->device_count > 0 ? info->devices[device].id : text_or_empty(run->data.records[0].devices);
}

const struct pairs *shard_device(const struct shard_run *run, size_t device) {
  const struct run_info *info = &run->data.runs[0];
  return info->device_count > 0 ? &info->devices[device].environment : &info->environment;
}

size_t shard_number_of(const struct shard_run *run, const char *case_key, const char *mode) {
  const char *key[] = {text_or_empty(case_key), text_or_empty(mode)};
  const size_t at = map_get(&run->places, key, 2);
  return at != MAP_NONE ? run->cases[at].number : 0;
}

/* ---- Reading one shard ---- */

/* Returns N if the text begins with "[case-N]", the name of a section of run.ini; otherwise 0. */
static size_t section_number(const char *section) {
  unsigned long long number = 0;
  char end = '\0';
  return section != NULL && sscanf(section, "[case-%9llu%c", &number, &end) == 2 && end == ']' ? (size_t)number : 0;
}

/* Finds the section [case-N] with this number in the text of run.ini, and its length. */
static const char *find_section(const char *ini, size_t number, size_t *length) {
  for (const char *at = ini; at != NULL; at = strchr(at, '\n') != NULL ? strchr(at, '\n') + 1 : NULL) {
    if (at[0] != '[' || section_number(at) != number) continue;
    const char *end = strstr(at, "\n[");
    *length = end != NULL ? (size_t)(end - at) + 1 : strlen(at);
    return at;
  }
  return NULL;
}

static int take_shard_case(struct shard_run *run, struct selection *selection, struct err *err) {
  struct shard_case *c = &run->cases[run->case_count++];
  *c = (struct shard_case){.selection = *selection, .number = section_number(strrchr(selection->origin, '['))};
  /* searches from the section of the previous case on, because the selections were read from the sections in their
   * order */
  const char *from = run->case_count > 1 ? c[-1].text : run->data.runs[0].ini;
  c->text = find_section(from, c->number, &c->length);
  if (c->number == 0 || c->text == NULL || selection->cases.count != 1 || selection->modes.count != 1 ||
      selection->variants.count == 0)
    return err_set(err, EXIT_FAILED, "%.300s: not a case of a shard", selection->origin);
  const char *key[] = {selection->cases.items[0], selection->modes.items[0]};
  if (map_put(&run->places, key, 2, run->case_count - 1) != run->case_count - 1)
    return err_set(err, EXIT_FAILED, "%.300s: a case that is there twice", selection->origin);
  return 0;
}

static int take_cases(struct shard_run *run, struct err *err) {
  SCOPED struct selection *selections = NULL;
  size_t count = 0, taken = 0;
  if (strstr(run->data.runs[0].ini, "\n[case-") == NULL) return 0;
  SCOPED char *path = memory_print("%s/run.ini", run->path);
  int rc = suite_load(path, &selections, &count, err);
  if (rc != 0) err->exit_code = EXIT_FAILED;
  run->cases = xcalloc(count, sizeof *run->cases);
  while (rc == 0 && taken < count)
    rc = take_shard_case(run, &selections[taken++], err); /* takes ownership of the selection */
  for (size_t i = taken; i < count; i++)
    selection_free(&selections[i]);
  return rc;
}

static int no_shard(const struct shard_run *run, const char *why, struct err *err) {
  return err_set(err, EXIT_USAGE, "%.300s is no shard of a plan%s", run->path, why);
}

static int take_shard_part(struct shard_run *run, struct err *err) {
  const char *shard = shard_get(run, "shard"), *whole = shard_get(run, "plan_cases");
  uint32_t cases = 0;
  if (shard == NULL) return no_shard(run, ": it was run without --shard", err);
  if (shard_get(run, "plan_id") == NULL) return no_shard(run, ": run.ini has no plan_id", err);
  if (quantity_part("shard", shard, SHARDS_MAX, &run->shard.number, &run->shard.of, err) != 0 ||
      quantity_count("plan_cases", text_or_empty(whole), UINT32_MAX, &cases, err) != 0) {
    err->exit_code = EXIT_FAILED;
    return err_context(err, "%.300s/run.ini", run->path);
  }
  run->whole = cases;
  return 0;
}

static int load_shard(const char *path, struct shard_run *run, struct err *err) {
  struct stat info;
  run->path = path;
  if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode))
    return no_shard(run, ": shards are put together from their directories", err);
  if (run_data_load_proven(path, &run->data, err) != 0) return -1;
  if (run->data.runs[0].ini == NULL) return no_shard(run, ": it has no run.ini", err);
  return take_shard_part(run, err) == 0 ? take_cases(run, err) : -1;
}

/* ---- Checking that the shards belong to one plan ---- */

static int of_other_plans(const struct shard_run *a, const struct shard_run *b, struct err *err) {
  const struct pairs *e[] = {&a->data.runs[0].environment, &b->data.runs[0].environment};
  err_set(err, EXIT_USAGE, "%.300s and %.300s are shards of different plans: ", a->path, b->path);
  for (size_t side = 0; side < 2; side++)
    for (size_t i = 0; i < e[side]->count; i++) {
      const char *name = e[side]->items[i].name, *values[2] = {pairs_get(e[0], name), pairs_get(e[1], name)};
      if (!plan_holds_for(name) || text_same(values[0], values[1])) continue;
      phrase_add(err->text, sizeof err->text, "", "%.100s is '%.300s' and '%.300s'", name, text_or_empty(values[0]),
                 text_or_empty(values[1]));
      return -1;
    }
  phrase_add(err->text, sizeof err->text, "", "other cases, variants or baselines");
  return -1;
}

static int check_plan(const struct shard_runs *runs, struct err *err) {
  const struct shard_run *first = &runs->items[0];
  for (size_t i = 1; i < runs->count; i++) {
    const struct shard_run *other = &runs->items[i];
    if (!text_same(shard_get(first, "plan_id"), shard_get(other, "plan_id")) || first->whole != other->whole)
      return of_other_plans(first, other, err);
    if (first->shard.of != other->shard.of)
      return err_set(err, EXIT_USAGE, "%.300s is shard %u of %u, %.300s shard %u of %u: a plan divided in two ways",
                     first->path, first->shard.number, first->shard.of, other->path, other->shard.number,
                     other->shard.of);
  }
  return 0;
}

static int shards_by_number(const void *a, const void *b) {
  const struct shard_run *one = a, *other = b;
  return one->shard.number < other->shard.number ? -1 : one->shard.number > other->shard.number;
}

/* ---- Checking that no shard is missing ---- */

static int check_once(const struct shard_runs *runs, struct err *err) {
  for (size_t i = 1; i < runs->count; i++) {
    const struct shard_run *one = &runs->items[i - 1], *other = &runs->items[i];
    if (one->shard.number == other->shard.number)
      return err_set(err, EXIT_USAGE, "shard %u of %u is there twice: %.300s and %.300s", one->shard.number,
                     one->shard.of, one->path, other->path);
  }
  return 0;
}

static int check_all_there(const struct shard_runs *runs, struct err *err) {
  const uint32_t of = runs->items[0].shard.of;
  char missing[900] = "";
  size_t next = 0, count = 0;
  for (uint32_t number = 1; number <= of; number++) {
    if (next < runs->count && runs->items[next].shard.number == number) {
      next++;
      continue;
    }
    phrase_add(missing, sizeof missing, ", ", "%u", number);
    count++;
  }
  if (count == 0) return 0;
  return err_set(err, EXIT_FAILED, "shard%s %s of %u %s missing", count == 1 ? "" : "s", missing, of,
                 count == 1 ? "is" : "are");
}

/* ---- Checking that each shard is complete ---- */

/* Returns true if the row is final, so that resuming the shard would not change it. A row that was not run is final
 * only if a time limit prevented it. */
static bool shard_row_is_final(const struct record *row) {
  const bool limited = text_same(row->stop_reason, "max_time") || text_same(row->stop_reason, "budget");
  if (row_status_parse(row->status) == ROW_NOT_RUN) return limited;
  return !text_same(row->stop_reason, "interrupted");
}

static bool has_all_rows(const struct shard_run *run, const struct map *rows, const struct shard_case *c,
                         const char *device) {
  for (size_t i = 0; i < c->selection.variants.count; i++) {
    const size_t at = run_data_row(rows, device, c->selection.cases.items[0], c->selection.modes.items[0],
                                   c->selection.variants.items[i]);
    if (at == MAP_NONE || !shard_row_is_final(&run->data.records[at])) return false;
  }
  return true;
}

static int index_shard_rows(const struct shard_run *run, struct map *rows, struct err *err) {
  const size_t twice = run_data_index(&run->data, run->data.count, true, rows);
  if (twice == MAP_NONE) return 0;
  const struct record *row = &run->data.records[twice];
  return err_set(err, EXIT_FAILED, "%.300s/results.csv: a row that is there twice: %.300s %.100s %.40s", run->path,
                 text_or_empty(row->case_key), text_or_empty(row->variant), text_or_empty(row->mode));
}

/* Returns the number of the shard's cases that lack rows on at least one of its devices. */
static size_t count_open(const struct shard_run *run, const struct map *rows) {
  const size_t devices = shard_devices(run);
  size_t open = 0;
  for (size_t i = 0; i < run->case_count; i++) {
    bool whole = devices > 0;
    for (size_t d = 0; d < devices; d++)
      whole = whole && has_all_rows(run, rows, &run->cases[i], shard_device_id(run, d));
    open += !whole;
  }
  return open;
}

static int check_shard_whole(const struct shard_run *run, struct err *err) {
  struct map rows = {0};
  char what[64] = "it did not come to its end";
  if (run->case_count == 0) return 0;
  if (find_is_written(run->path))
    return err_set(err, EXIT_FAILED, "shard %u of %u, %.300s, is still being measured", run->shard.number,
                   run->shard.of, run->path);
  const int rc = index_shard_rows(run, &rows, err);
  const size_t open = rc == 0 ? count_open(run, &rows) : 0;
  map_free(&rows);
  if (rc != 0) return -1;
  if (open == 0 && shard_get(run, "wall_s") != NULL) return 0;
  if (open > 0) snprintf(what, sizeof what, "%zu of its %zu cases lack rows", open, run->case_count);
  return err_set(err, EXIT_FAILED, "shard %u of %u, %.300s, was interrupted: %s; go on with gpubench --resume %.300s",
                 run->shard.number, run->shard.of, run->path, what, run->path);
}

/* Checks that each case of the plan is in exactly one shard. */
static int check_numbers(const struct shard_runs *runs, struct err *err) {
  const size_t whole = runs->items[0].whole;
  size_t count = 0, all = 0;
  for (size_t i = 0; i < runs->count; i++)
    all += runs->items[i].case_count;
  SCOPED bool *seen = xcalloc(all + 1, sizeof *seen);
  for (size_t i = 0; i < runs->count && all == whole; i++)
    for (size_t c = 0; c < runs->items[i].case_count; c++) {
      const size_t number = runs->items[i].cases[c].number;
      if (number > whole || seen[number]) continue;
      seen[number] = true;
      count++;
    }
  if (count == whole) return 0;
  return err_set(err, EXIT_FAILED, "the shards' run.ini do not have each of the plan's %zu cases once", whole);
}

int shards_load(const struct strings *paths, struct shard_runs *runs, struct err *err) {
  *runs = (struct shard_runs){.items = xcalloc(paths->count, sizeof *runs->items)};
  for (size_t i = 0; i < paths->count; i++)
    if (load_shard(paths->items[i], &runs->items[runs->count++], err) != 0) return -1;
  if (check_plan(runs, err) != 0) return -1;
  qsort(runs->items, runs->count, sizeof *runs->items, shards_by_number);
  if (check_once(runs, err) != 0 || check_all_there(runs, err) != 0) return -1;
  for (size_t i = 0; i < runs->count; i++)
    if (check_shard_whole(&runs->items[i], err) != 0) return -1;
  return check_numbers(runs, err);
}

void shards_free(struct shard_runs *runs) {
  for (size_t i = 0; i < runs->count; i++) {
    struct shard_run *run = &runs->items[i];
    for (size_t c = 0; c < run->case_count; c++)
      selection_free(&run->cases[c].selection);
    free(run->cases);
    map_free(&run->places);
    run_data_free(&run->data);
  }
  free(runs->items);
}
