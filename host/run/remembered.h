/* What a run leaves to those after it, in files per device in the user's cache: the ceilings that it measured. What is
 * in it is not trusted.
 */
#ifndef RUN_REMEMBERED_H
#define RUN_REMEMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pairs.h"
#include "base/text.h"
#include "record/run_data.h"
#include "run/ceilings.h"

/* So long a figure serves. */
enum { REMEMBERED_S = 24 * 60 * 60 };

struct remembered {
  double value;              /* NaN: none */
  int64_t measured_s;        /* since 1970 */
  char variant[2 * ID_SIZE]; /* that reached it */
  char run_id[TEXT_SIZE];    /* whose it is */
};

/* "/home/me/.cache/gpubench/ceilings-GPU-....ini" for "ceilings", below $XDG_CACHE_HOME where that is an absolute path.
 * False: there is no such place. */
bool remembered_path(const char *what, const char *device, char *to, size_t size);

/* Such a file, as run.ini is read, into one run's `environment` and `tags`, which run_data_free() frees in either case.
 * False: there is none, it is another user's, a link, or not as remembered_store() leaves it. */
bool remembered_load(const char *path, struct run_data *data);
/* The whole file or nothing; makes its folder. */
int remembered_store(const char *path, const char *what, const struct pairs *environment, const struct pairs *tags,
                     struct err *err);

/* Was it written no longer ago than its figures may be old? */
bool remembered_is_fresh(const char *path, int64_t now_s);

/* Takes what the file says under this very key, and no older than it may be. None where remembered_load()
 * takes no file. */
void remembered_read(const char *path, const struct pairs *key, int64_t now_s, struct remembered figures[CEILINGS]);

/* Puts those that are there into the file, whole or not at all; makes its folder. */
int remembered_write(const char *path, const struct pairs *key, const struct remembered figures[CEILINGS],
                     struct err *err);

#endif
