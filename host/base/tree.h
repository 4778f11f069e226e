/* Operations on whole directories: make, remove and exchange them; finds the directory of the installation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Writes the path of a file of this installation: the folder two levels above this binary, followed by `below`. That is
 * right in build and install trees. Returns false if the path does not fit or is not known. */
bool tree_installed(char *to, size_t size, const char *below);

/* Makes a folder and its parents unless they exist. */
int tree_make(const char *path, struct err *err);
/* Removes a file, or a folder with its content. Links are removed, not followed. A missing path is no error. */
int tree_remove(const char *path, struct err *err);
/* Writes a file and syncs it to disk. */
int tree_write(const char *path, const void *bytes, size_t size, struct err *err);
/* Syncs a folder's entries to disk. It is no error if the file system cannot do that. */
void tree_settle(const char *path);

/* Moves `made` to `path` and removes the old content of `path`. A reader always finds either the old or the new content
 * complete. If the file system cannot exchange two folders, `path` is missing for an instant, and `*in_steps` is set.
 * If the process is killed in that instant, the old content is in `path`.old, and the next call first moves it back. */
int tree_replace(const char *made, const char *path, bool *in_steps, struct err *err);
/* Moves back the old content that an interrupted tree_replace() left in `path`.old. */
int tree_recover(const char *path, struct err *err);
