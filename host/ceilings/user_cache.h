/* Remembers the ceilings (highest rates of a device) that a run measured for later runs: one file per device in the
 * user's cache folder. Other programs may have changed that file, so its contents are checked. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyse/ceilings.h"
#include "base/pairs.h"
#include "base/text.h"
#include "record/run_data.h"

/* How many seconds a remembered ceiling (a highest rate of the device) may be used after it was measured: a day. */
enum { REMEMBERED_S = 24 * 60 * 60 };

struct remembered {
  double value;              /* the remembered ceiling; NaN: there is none */
  int64_t measured_s;        /* when the ceiling was measured, in seconds since 1970 */
  char variant[2 * ID_SIZE]; /* the variant that reached the ceiling */
  char run_id[TEXT_SIZE];    /* id of the run that measured the ceiling */
};

/* Writes the path of the file for this device: "/home/me/.cache/gpubench/ceilings-GPU-....ini", or a path below
 * $XDG_CACHE_HOME if that is an absolute path. Returns false if neither that variable nor $HOME has an absolute path,
 * or if the path does not fit. */
bool remembered_path(const char *device, char *to, size_t size);

/* Returns true if the file is at most REMEMBERED_S old, so that its figures may still be used. */
bool remembered_is_fresh(const char *path, int64_t now_s);

/* Reads the figures that the file has for this key and that are not too old. There are none if the file does not exist,
 * belongs to another user, is a link, or was not written by remembered_write(). */
void remembered_read(const char *path, const struct pairs *key, int64_t now_s, struct remembered figures[CEILINGS]);

/* Writes the figures that are known, atomically. Creates the folder if there is none. */
int remembered_write(const char *path, const struct pairs *key, const struct remembered figures[CEILINGS],
                     struct err *err);
