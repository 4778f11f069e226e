/* What cases have taken, for the runs after this one, which announce so much: a file per device in the user's cache.
 * What is in it is not trusted. */
#ifndef RUN_DURATIONS_H
#define RUN_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "ask/request.h"

/* So many are kept: the newest. */
enum { DURATIONS_MOST = 1000 };

struct duration {
  uint64_t of;    /* duration_of() */
  double seconds; /* of all its processes */
};

struct durations {
  struct duration items[DURATIONS_MOST]; /* the newest last */
  size_t count;
};

/* The case with all that its time depends on, but the kernels themselves: who changes one wants to know how long the
 * same takes. */
uint64_t duration_of(const struct plan_case *plan_case, const struct run_case_settings *settings);

/* 0: not known. */
double durations_get(const struct durations *durations, uint64_t of);
void durations_put(struct durations *durations, uint64_t of, double seconds);

/* None where there is no such file, or where remembered_load() would not take it. */
void durations_read(const char *path, struct durations *durations);
int durations_write(const char *path, const struct durations *durations, struct err *err);

#endif
