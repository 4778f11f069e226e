/* The ceilings that a run measured, for those after it: a file per device in the user's cache. What is in it is not
 * trusted. */
#ifndef ROOFS_USER_CACHE_H
#define ROOFS_USER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/ceilings.h"
#include "base/pairs.h"
#include "base/text.h"
#include "record/run_data.h"

/* So long a figure serves. */
enum { REMEMBERED_S = 24 * 60 * 60 };

struct remembered {
  double value;              /* NaN: none */
  int64_t measured_s;        /* since 1970 */
  char variant[2 * ID_SIZE]; /* that reached it */
  char run_id[TEXT_SIZE];    /* whose it is */
};

/* "/home/me/.cache/gpubench/ceilings-GPU-....ini", below $XDG_CACHE_HOME where that is an absolute path. False: there
 * is no such place. */
bool remembered_path(const char *device, char *to, size_t size);

/* Was it written no longer ago than its figures may be old? */
bool remembered_is_fresh(const char *path, int64_t now_s);

/* Takes what the file says under this very key, and no older than it may be. None where there is no such file, or it is
 * another user's, a link, or not as remembered_write() leaves it. */
void remembered_read(const char *path, const struct pairs *key, int64_t now_s, struct remembered figures[CEILINGS]);

/* Puts those that are there into the file, whole or not at all; makes its folder. */
int remembered_write(const char *path, const struct pairs *key, const struct remembered figures[CEILINGS],
                     struct err *err);

#endif
