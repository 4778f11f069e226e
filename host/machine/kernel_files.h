/* Reads the kernel's small text files (/proc, /sys) below a root folder, which is "" for the machine's own files; tests
 * use other folders. The contents are not trusted: only regular files of limited size are read, and a value that is too
 * long or no number is "not known". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Reads the first line of a file, printable and without its newline. Returns false, with an empty text, if the file is
 * missing or empty or the line is too long. */
bool tree_text(const char *root, char *to, size_t size, const char *path, ...) ERR_PRINTF(4, 5);

/* Reads a file that holds one integer >= 0. Returns -1 if the file does not hold one. */
int64_t tree_number(const char *root, const char *path, ...) ERR_PRINTF(2, 3);

/* Parses an integer >= 0 that is followed only by white space. Returns -1 if the text is none. */
int64_t tree_parse(const char *text);

struct tree_file {
  FILE *file;  /* NULL: the file does not exist */
  size_t left; /* bytes that may still be read */
};

struct tree_file tree_open(const char *root, const char *path);
void tree_close(struct tree_file *file);
#define SCOPED_TREE_FILE __attribute__((cleanup(tree_close))) /* closes a local file at the end of its scope */

/* Reads the next line without its newline, truncated to the buffer. Returns false at the end of the file. */
bool tree_line(struct tree_file *file, char *to, size_t size);

/* Reads the rest of the first line that begins with `key` and a colon, as in /proc/self/status. */
bool tree_value(const char *root, const char *path, const char *key, char *to, size_t size);
