/* Scratch directories (gb.scratch/1): directories for temporary files of plugins, one for each process that asks for
 * one, with a folder for each case. Removing them follows no links, does not enter other file systems, and needs few
 * descriptors at any depth. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SCRATCH_PREFIX "gpubench-scratch-" /* each name of a scratch directory begins with this */

/* The directory that a process may make: `name` in the folder `base`. */
struct scratch {
  char base[3072], name[64];
  bool made;
  /* a second user who may own the directory, besides the user of this process; 0: none */
  unsigned uid;
  unsigned cases; /* number of folders that were made in this directory so far */
};

/* Chooses an unpredictable name in `base` or, if that is NULL, in $TMPDIR or /tmp. Creates nothing yet. */
void scratch_choose(const char *base, struct scratch *scratch);

/* Checks that directories may be made in `base`. Returns -1 with exit code 2 if it is no folder, or if anyone may
 * rename files in it. */
int scratch_check_base(const char *base, struct err *err);

/* Writes the path of the directory: "base/name". */
void scratch_path(const struct scratch *scratch, char *to, size_t size);

/* Makes a folder for a case. The first call also makes the scratch directory around it. */
int scratch_make_case(struct scratch *scratch, char *path, size_t size, struct err *err);

/* Removes a folder made by scratch_make_case(). Returns -1 if something is left. */
int scratch_remove_case(const struct scratch *scratch, const char *path, struct err *err);

/* Returns how many bytes are free in the file system of this path; 0: not known. */
uint64_t scratch_free_bytes(const char *path);

/* Opens the folder `base` and returns its descriptor, which keeps meaning the same folder if the path changes. Returns
 * -1 if it is no folder. */
int scratch_open_base(const struct scratch *scratch);

/* Removes the scratch directory `name` with its contents; succeeds if there is none. Returns -1 if something is left,
 * for example because it belongs neither to this process's user nor to user `uid` (0: no other user). */
int scratch_remove(int base, const char *name, unsigned uid, struct err *err);
