/* Small text helpers that every module may use. Pure. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Sizes of bounded texts, the NUL included. They bound what a plugin can make the host hold. */
enum {
  ID_SIZE = 64,    /* names */
  TEXT_SIZE = 256, /* summaries, contracts, versions */
  EXPR_SIZE = 512, /* axis values, presets' points */
  KEY_SIZE = 1024, /* case keys */
  MSG_SIZE = 1024, /* messages */
};

/* A growing list of owned strings. */
struct strings {
  char **items;
  size_t count;
};

void strings_add(struct strings *list, const char *text);
void strings_add_once(struct strings *list, const char *text); /* unless it is among them */
void strings_free(struct strings *list);
#define SCOPED_STRINGS __attribute__((cleanup(strings_free))) /* a local list is freed when its scope ends */

const char *text_or_empty(const char *text); /* "" for NULL */
/* Are they the same? NULL is an empty one. */
bool text_same(const char *a, const char *b);

/* Copies as much as fits; true if all of it did. NULL is an empty string. */
bool text_copy(char *to, size_t size, const char *from);

/* What stands behind the last slash of a path. */
const char *text_file_name(const char *path);

/* Does it match [A-Za-z0-9][A-Za-z0-9._/-]* within ID_SIZE? */
bool text_is_id(const char *text);

/* Length of the valid UTF-8 sequence at `text` (no overlong form, no surrogate), or 0. */
size_t text_utf8_length(const char *text);

/* A finite number in the fewest digits that read back to it. */
void text_shortest(char *to, size_t size, double value);

/* Makes any bytes printable in one line of UTF-8: control characters and invalid bytes become '?'. In place. */
void text_sanitize(char *text);

/* Bytes outside printable ASCII and those in `also` become %XX; '%' always does. Returns false if it did not fit. */
bool text_percent_encode(char *to, size_t size, const char *from, const char *also);

/* Undoes it, in place; a '%' that is not followed by two hexadecimal digits stays. */
void text_percent_decode(char *text);

/* The candidate closest to `wanted` by edit distance, or NULL when none is near enough to be a slip. */
const char *text_nearest(const char *wanted, const char *const *candidates, size_t count);

/* "a, b, c" of the candidates, cut with ", ..." where it does not fit. */
void text_join(char *to, size_t size, const char *const *items, size_t count);

/* Appends a word to a command line as a POSIX shell takes it; what does not fit is cut. */
void text_shell_add(char *to, size_t size, const char *word);

/* Shell-style pattern (*, ?, [...]) where '/' is an ordinary character. */
bool text_glob(const char *pattern, const char *text);

/* "1.5 GB", "805 MB", "8.0 kB": decimal units, as memory and traffic are reported. */
void text_bytes(char *to, size_t size, double bytes);

/* "SIGSEGV"; "signal 40" of one without a name. */
void text_signal(int number, char *to, size_t size);

/* Appends, with `between` before it unless it is the first; what does not fit is cut. */
void phrase_add(char *to, size_t size, const char *between, const char *format, ...) ERR_PRINTF(4, 5);

#endif
