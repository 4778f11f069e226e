/* The files that a plugin brings along: libraries, modules and data files whose names are in the plugin's file, and
 * which exist where the plugin looks for them. It does not matter whether the plugin loads them at once, in `prepare`
 * or never. None of the plugin's code is run to find them. Not found are files whose names are built at run time, files
 * of more than BROUGHT_BYTES_MOST, and files beyond a total of twice that size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A folder in which a shared object finds files. */
struct mentions_folder {
  char path[4096];
  bool searched; /* true if the dynamic loader searches the folder for names without a folder; false for the object's
                    own folder */
  bool relative; /* true if the folder is given relative to the object; if the object is copied together with this
                    folder, the copy then finds its files in the copied folder */
};

/* Reads a shared object. Calls `take` for each string in it that ends with the name of a file in one of the folders in
 * which the object finds files. `bare`: the string is the name alone, without a folder. */
void mentions_of_library(const char *path,
                         void (*take)(void *user, const struct mentions_folder *folder, const char *name, bool bare),
                         void *user);

/* Computes a text that stays the same as long as the object and the folders in which it finds files are unchanged. It
 * is a hash of their devices, inodes, sizes and times. Programs can set the modification time of a file, but not its
 * change time (ctime), which is included. The text is "" if the object or a folder changed so recently that another
 * change might get the same time, because the clock of its file system is too coarse. */
void mentions_stamp(const char *path, char stamp[65]);

/* Reads a script: calls `file` for each quoted text that may name a file or a folder, and `module` for each word of a
 * line that imports. */
void mentions_of_script(const char *path, void (*module)(void *user, const char *name),
                        void (*file)(void *user, const char *name), void *user);

/* Writes `path` relative to `folder`: "kernels.py", "../lib/libx.so". */
void mentions_relative(const char *folder, const char *path, char *to, size_t size);

enum { BROUGHT_MOST = 4096, BROUGHT_BYTES_MOST = 64 << 20 };

struct brought_file {
  /* name relative to the plugin's folder ("kernels.py", "../lib/libx.so"); absolute if the plugin finds the file by an
   * absolute path */
  char *name;
  char *path;      /* absolute path of the file */
  bool library;    /* true if the dynamic loader finds the file by its name; a process can then have only one library of
                      this name */
  char sha256[65]; /* "": the file cannot be read */
};

struct brought {
  struct brought_file *items; /* the files that the plugin brings along, sorted by name */
  size_t count;
  /* true if the list of files may change although the plugin's own file does not, so that the files must be read again
   * to know. That is so for a script, and for a library that contains names of existing files */
  bool looked_for;
};

/* Finds the files that a plugin brings along. `path` is the absolute path of the plugin, a shared object or a script.
 */
void brought_find(const char *path, struct brought *brought);
void brought_free(struct brought *brought);

/* Computes the identity of a build: the SHA-256 `own` of the plugin's file if it brings nothing along; otherwise the
 * hash of "OWN\n" and a line "SHA256 NAME\n" for each file. */
void brought_identity(const struct brought *brought, const char *own, char identity[65]);

/* Returns a file of `a` and sets `*other` to a file of `b`, if these are libraries of the same name with different
 * contents; NULL: there are none. */
const struct brought_file *brought_clash(const struct brought *a, const struct brought *b,
                                         const struct brought_file **other);
