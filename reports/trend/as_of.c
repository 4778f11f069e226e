/* A history as it was after one of its nights. */
#include "trend/as_of.h"

#include <string.h>

size_t as_of_find(const struct as_of *as_of, const char *run_id) {
  for (size_t i = 0; i < as_of->nights; i++)
    if (strcmp(as_of->data.nights[i].run_id, run_id) == 0) return i;
  return SIZE_MAX;
}

static int choose_night(struct as_of *as_of, const char *run_id, const char *dir, struct err *err) {
  if (as_of->nights == 0) return err_set(err, EXIT_FAILED, "%s has no nights to judge", dir);
  const size_t night = run_id != NULL ? as_of_find(as_of, run_id) : as_of->nights - 1;
  if (night == SIZE_MAX) return err_set(err, EXIT_USAGE, "%s has no night '%.200s'", dir, run_id);
  as_of->data.night_count = night + 1; /* those after it were not known then */
  return 0;
}

int as_of_open(const struct history *history, bool by_uuid, const char *run_id, struct as_of *as_of, struct err *err) {
  const struct history_choice choice = {.by_uuid = by_uuid};
  *as_of = (struct as_of){0};
  if (history_read(history, &choice, &as_of->data, err) != 0) return -1;
  as_of->nights = as_of->data.night_count;
  if (choose_night(as_of, run_id, history->dir, err) != 0) {
    as_of_close(as_of);
    return -1;
  }
  trend_build(&as_of->data, &as_of->trend);
  return 0;
}

size_t as_of_index(const struct as_of *as_of) {
  return as_of->data.night_count - 1;
}

const struct history_night *as_of_night(const struct as_of *as_of) {
  return &as_of->data.nights[as_of_index(as_of)];
}

void as_of_close(struct as_of *as_of) {
  trend_free(&as_of->trend);
  as_of->data.night_count = as_of->nights;
  history_data_free(&as_of->data);
}
