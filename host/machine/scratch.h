/* Scratch directories, gb.scratch/1: one per process that asks for any, a folder in it per case. Removing follows no
 * link, crosses into no other file system, and holds few descriptors however deep it goes. */
#ifndef MACHINE_SCRATCH_H
#define MACHINE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SCRATCH_PREFIX "gpubench-scratch-" /* of their names */

/* Where a process may make its directory: `name` within the folder `base`. */
struct scratch {
  char base[3072], name[64];
  bool made;
  unsigned uid;   /* of the user that it is for, beside this process's; 0: none */
  unsigned cases; /* folders made in it so far */
};

/* A name that nobody can foresee, in `base`, or $TMPDIR, or /tmp. Nothing is made yet. */
void scratch_choose(const char *base, struct scratch *scratch);

/* May directories be made there? Exit 2: it is no folder, or everybody may rename what lies in it. */
int scratch_check_base(const char *base, struct err *err);

/* "base/name". */
void scratch_path(const struct scratch *scratch, char *to, size_t size);

/* Makes a folder for a case, and what it lies in when it is the first. */
int scratch_make_case(struct scratch *scratch, char *path, size_t size, struct err *err);

/* Removes a folder that was made by it. -1: something is left. */
int scratch_remove_case(const struct scratch *scratch, const char *path, struct err *err);

/* Bytes that may still be written there; 0: not known. */
uint64_t scratch_free_bytes(const char *path);

/* Opens a base, so that it is the same folder later on; -1: it is none. */
int scratch_open_base(const struct scratch *scratch);

/* Removes the directory of this name with everything in it; well where there is none. -1: something is left, as when
 * it is neither ours nor that of the user `uid`, unless this is 0. */
int scratch_remove(int base, const char *name, unsigned uid, struct err *err);

#endif
