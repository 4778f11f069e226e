/* Folders as a whole: made, removed, exchanged. */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Makes a folder, and those above it, unless it is there. */
int tree_make(const char *path, struct err *err);
/* Removes a file, or a folder with all in it; links are removed, not followed. Nothing there is no error. */
int tree_remove(const char *path, struct err *err);
/* Writes a file and has it on the disk. */
int tree_write(const char *path, const void *bytes, size_t size, struct err *err);
/* Has on the disk what a folder lists. A file system that cannot is no error. */
void tree_settle(const char *path);

/* Has `made` stand where `path` stands, or stood not; what stood there is removed. At every instant a reader finds the
 * one or the other whole. Where the file system cannot exchange two folders, `path` is missing for an instant, and
 * *in_steps is set: after a kill then, `path`.old is yesterday's, and the next call puts it back first. */
int tree_replace(const char *made, const char *path, bool *in_steps, struct err *err);
/* Puts back what a tree_replace() in steps was killed over. */
int tree_recover(const char *path, struct err *err);

#endif
