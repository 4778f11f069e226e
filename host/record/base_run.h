/* The stored run with which another is compared: finding and reading it. */
#ifndef RECORD_BASE_RUN_H
#define RECORD_BASE_RUN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/map.h"
#include "record/run_data.h"

/* What is to be compared: `last` means the newest run that has any of it. */
struct base_wish {
  struct map rows;    /* case, variant, mode: see base_wish_add() */
  const char *device; /* its model; NULL: any */
  const char *self;   /* the run's own directory, which is not looked at; NULL: it is not known */
  const char *before; /* runs that began later are not looked at (see find_newest()); NULL: none did */
};

void base_wish_add(struct base_wish *wish, const char *case_key, const char *variant, const char *mode);
void base_wish_free(struct base_wish *wish);

/* The run with which another is compared. */
struct base_run {
  char *asked, *path; /* as the user called it; where it is, absolute */
  struct run_data data;
  bool loaded;
};

/* Finds and reads it. Exit 2: there is none, or it is no run; 3: it is damaged. For `last` there may be none without an
 * error: `loaded` tells. */
int base_run_load(const char *what, const struct base_wish *wish, struct base_run *base, struct err *err);
/* Exit 2 where the base is the run in this directory, which may be NULL. */
int base_run_check_other(const struct base_run *base, const char *dir, struct err *err);
/* Exit 2 where the base has nothing that is wished for. */
int base_run_check_common(const struct base_run *base, const struct base_wish *wish, struct err *err);
void base_run_free(struct base_run *base);

#endif
