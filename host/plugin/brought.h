/* What a plugin's file brings along: libraries, modules and data that lie where it looks for them, and that it names in
 * its text, be it to load them at once, in `prepare` or never. Found by reading alone. What it makes a name of while it
 * runs is not found, nor files of more than BROUGHT_BYTES_MOST or, in all, of twice as much. */
#ifndef PLUGIN_BROUGHT_H
#define PLUGIN_BROUGHT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Where a shared object finds files. */
struct mentions_folder {
  char path[4096];
  bool searched; /* by the dynamic loader, for names alone; else it is the file's own folder */
  bool relative; /* to where the file lies: a copy of all of it finds the same below itself */
};

/* Each file of such a folder that a string of the object ends with. `bare`: the string is the name and nothing else. */
void mentions_of_library(const char *path,
                         void (*take)(void *user, const struct mentions_folder *folder, const char *name, bool bare),
                         void *user);

/* A text that stays the same while the object and the folders in which it finds files do: a hash of their devices,
 * inodes, sizes and times, of which nobody can set that of the last change. "": one of them has changed so lately that
 * the clock of its file system might not tell the next change from that. */
void mentions_stamp(const char *path, char stamp[65]);

/* Each text in quotes that may be the name of a file or a folder, then each word of a line that imports. */
void mentions_of_script(const char *path, void (*module)(void *user, const char *name),
                        void (*file)(void *user, const char *name), void *user);

/* `path` as seen from `folder`: "kernels.py", "../lib/libx.so". */
void mentions_relative(const char *folder, const char *path, char *to, size_t size);

enum { BROUGHT_MOST = 4096, BROUGHT_BYTES_MOST = 64 << 20 };

struct brought_file {
  char *name;      /* from the plugin's folder: "kernels.py", "../lib/libx.so"; absolute where it is found that way */
  char *path;      /* absolute */
  bool library;    /* the dynamic loader finds it by its name alone, so one process has one of that name */
  char sha256[65]; /* "": it cannot be read */
};

struct brought {
  struct brought_file *items; /* by name */
  size_t count;
  bool looked_for; /* it names files that are there, or is a script: what it brings along is known by reading alone */
};

/* Of a plugin at an absolute path: a shared object or a script. */
void brought_find(const char *path, struct brought *brought);
void brought_free(struct brought *brought);

/* What tells builds apart: the SHA-256 `own` of the file where it brings nothing along, else that of "OWN\n" and of a
 * line "SHA256 NAME\n" for each of them. */
void brought_identity(const struct brought *brought, const char *own, char identity[65]);

/* A library that both bring under one name, with other contents; NULL: there is none. */
const struct brought_file *brought_clash(const struct brought *a, const struct brought *b,
                                         const struct brought_file **other);

#endif
