/* --against: the stored run that is meant, and what comparing with it says. */
#ifndef COMMANDS_AGAINST_H
#define COMMANDS_AGAINST_H

#include "base/err.h"
#include "base/map.h"
#include "options/options.h"
#include "record/run_data.h"

/* What is to be compared: `last` means the newest run that has any of it. */
struct against_wish {
  struct map rows;    /* case, variant, mode: see against_wish_add() */
  const char *device; /* its model; NULL: any */
  const char *self;   /* the run's own directory, which is not looked at; NULL: it is not known */
  const char *before; /* runs that began later are not looked at (see cmd_find_newest()); NULL: none did */
};

void against_wish_add(struct against_wish *wish, const char *case_key, const char *variant, const char *mode);
void against_wish_free(struct against_wish *wish);

/* The run with which another is compared. */
struct against_base {
  char *asked, *path; /* as the user called it; where it is, absolute */
  struct run_data data;
  bool loaded;
};

bool against_is_last(const char *what);

/* Finds and reads it. Exit 2: there is none, or it is no run; 3: it is damaged. For `last` there may be none without an
 * error: `loaded` tells. */
int against_load(const char *what, const struct against_wish *wish, struct against_base *base, struct err *err);
/* Exit 2 where the base is the run in this directory, which may be NULL. */
int against_check_other(const struct against_base *base, const char *dir, struct err *err);
/* Exit 2 where the base has nothing that is wished for. */
int against_check_common(const struct against_base *base, const struct against_wish *wish, struct err *err);
void against_base_free(struct against_base *base);

/* Compares the runs of `data`, which were read from `path`, with the base and puts the answers there; where they have a
 * directory, into its against.csv too. What --fail-on says of them goes into `verdict`. */
int against_add(struct run_data *data, const char *path, const struct against_base *base, const struct options *options,
                struct err *verdict, struct err *err);

#endif
