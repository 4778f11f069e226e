/* What a plugin's file brings along: libraries, modules and data that lie where it looks for them, and that it names in
 * its text, be it to load them at once, in `prepare` or never. Found by reading alone. What it makes a name of while it
 * runs is not found, nor files of more than BROUGHT_BYTES_MOST or, in all, of twice as much. */
#ifndef PLUGIN_BROUGHT_H
#define PLUGIN_BROUGHT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

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
