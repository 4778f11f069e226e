/* Small text helpers for all parts of the host. No I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Sizes of bounded texts, NUL included. They bound what a plugin can make the host store. */
enum {
  ID_SIZE = 64,    /* for names */
  TEXT_SIZE = 256, /* for summaries, contracts and versions */
  EXPR_SIZE = 512, /* for parameter values of benches and of their presets */
  KEY_SIZE = 1024, /* for keys of cases */
  MSG_SIZE = 1024, /* for messages */
};

/* A growing list of owned strings. */
struct strings {
  char **items;
  size_t count;
};

void strings_add(struct strings *list, const char *text);
void strings_print(struct strings *list, const char *format, ...) ERR_PRINTF(2, 3); /* adds a formatted text */
bool strings_has(const struct strings *list, const char *text);
void strings_add_once(struct strings *list, const char *text); /* does nothing if the text is in the list already */
void strings_free(struct strings *list);
#define SCOPED_STRINGS __attribute__((cleanup(strings_free))) /* frees a local list when its scope ends */

/* A short text that functions return by value. */
struct text {
  char text[TEXT_SIZE];
};

const char *text_or_empty(const char *text); /* returns "" for NULL */
/* Returns true if the texts are the same; NULL counts as empty. */
bool text_same(const char *a, const char *b);
bool text_begins(const char *text, const char *prefix);

/* Copies as much as fits. Returns true if the whole text fitted. NULL counts as empty. */
bool text_copy(char *to, size_t size, const char *from);

/* Returns the part after the last slash of a path. */
const char *text_file_name(const char *path);

/* Returns true if the text is a valid id: it matches [A-Za-z0-9][A-Za-z0-9._/-]* and fits into ID_SIZE. */
bool text_is_id(const char *text);

/* Returns the length of the valid UTF-8 sequence at `text` (no overlong form, no surrogate), or 0. */
size_t text_utf8_length(const char *text);

/* Formats a finite number with the fewest digits that read back as the same value. */
void text_shortest(char *to, size_t size, double value);

/* Makes any bytes one printable line of UTF-8, in place: control characters and invalid bytes become '?'. */
void text_sanitize(char *text);

/* Encodes bytes outside printable ASCII, '%' and the characters in `also` as %XX. Returns false if the result did not
 * fit. */
bool text_percent_encode(char *to, size_t size, const char *from, const char *also);

/* Decodes %XX in place. A '%' that is not followed by two hexadecimal digits stays. */
void text_percent_decode(char *text);

/* Returns the candidate that is closest to `wanted` by edit distance; NULL if none is so close that `wanted` may be a
 * misspelling of it. */
const char *text_nearest(const char *wanted, const char *const *candidates, size_t count);

/* Joins the items as "a, b, c". If they do not fit, the text ends with ", ...". */
void text_join(char *to, size_t size, const char *const *items, size_t count);

/* Appends a word to a shell command, quoted as POSIX shells need it; truncated if it does not fit. */
void text_shell_add(char *to, size_t size, const char *word);

/* Returns true if the text matches a shell pattern (*, ?, [...]) in which '/' is an ordinary character. */
bool text_glob(const char *pattern, const char *text);

/* Formats a number of bytes: "1.5 GB", "805 MB", "8.0 kB". The units are decimal, as usual for memory and traffic. */
void text_bytes(char *to, size_t size, double bytes);

/* Writes the signal's name, "SIGSEGV", or "signal 40" if it has no name. */
void text_signal(int number, char *to, size_t size);

/* Appends a formatted text to `to`, truncated if it does not fit. Unless `to` is empty, first appends the separator
 * `between`. */
void phrase_add(char *to, size_t size, const char *between, const char *format, ...) ERR_PRINTF(4, 5);
