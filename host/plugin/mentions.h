/* Names of files in the text of a plugin's files. Everything in them is untrusted. */
#ifndef PLUGIN_MENTIONS_H
#define PLUGIN_MENTIONS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
