/* The kernel's small text files (/proc, /sys) below a root: "" is the machine's own, tests make others. What is in them
 * is not trusted: regular files only, bounded, and what is longer than it may be or no number is "not known". */
#ifndef MACHINE_KERNEL_FILES_H
#define MACHINE_KERNEL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* The first line of a file, printable and without its newline. False and "" where it is missing, empty or does not fit.
 */
bool tree_text(const char *root, char *to, size_t size, const char *path, ...) ERR_PRINTF(4, 5);

/* A file that holds one whole number from 0 on; -1: it does not. */
int64_t tree_number(const char *root, const char *path, ...) ERR_PRINTF(2, 3);

/* A whole number from 0 on at the start of `text`, with nothing but white space behind it; -1: it is none. */
int64_t tree_parse(const char *text);

struct tree_file {
  FILE *file;  /* NULL: not there */
  size_t left; /* bytes that may still be read */
};

struct tree_file tree_open(const char *root, const char *path);
void tree_close(struct tree_file *file);
#define SCOPED_TREE_FILE __attribute__((cleanup(tree_close))) /* a local file is closed when its scope ends */

/* The next line without its newline, cut where it does not fit. False at the end. */
bool tree_line(struct tree_file *file, char *to, size_t size);

/* The rest of the first line that begins with `key`, a colon between them, as in /proc/self/status. */
bool tree_value(const char *root, const char *path, const char *key, char *to, size_t size);

#endif
