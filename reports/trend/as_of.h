/* A history as it was after one of its nights, judged. */
#ifndef TREND_AS_OF_H
#define TREND_AS_OF_H

#include "history/store.h"
#include "trend/trend.h"

struct as_of {
  struct history_data data; /* the night is the last of its nights */
  struct trend trend;
  size_t nights; /* that the history has */
};

/* `run_id` NULL: the newest. Exit 2: there is no such night; 3: there is none at all. `by_uuid`: see history_choice. */
int as_of_open(const struct history *history, bool by_uuid, const char *run_id, struct as_of *as_of, struct err *err);
/* SIZE_MAX: not there. */
size_t as_of_find(const struct as_of *as_of, const char *run_id);
size_t as_of_index(const struct as_of *as_of); /* the night's */
const struct history_night *as_of_night(const struct as_of *as_of);
void as_of_close(struct as_of *as_of);

#endif
