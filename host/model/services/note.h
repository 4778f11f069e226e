/* Notes, gb.note/1: short texts with keys in which a variant says how it works. The variant's row in results.csv has
 * them as a text "k=v;k=v". The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { NOTES_MAX = 16 };

struct note {
  char key[ID_SIZE], text[TEXT_SIZE];
};

struct note_list {
  uint32_t count, reserved;
  struct note notes[NOTES_MAX];
};

/* Returns the note with this key; appends a new one if there is none. NULL if the list already has NOTES_MAX others. */
struct note *note_place(struct note_list *list, const char *key);

/* Checks notes that came from a process with foreign code. Returns false if a count or a key is invalid, or a key
 * occurs twice. */
bool note_check(struct note_list *list);

/* Returns the text for the column `notes`: "k=v;k=v", values percent-encoded like those of axes. The caller frees
 * it. */
char *note_text(const struct note_list *list);

/* Parses the next note of a text "k=v;k=v" at `*at` and moves `*at` behind it: key and value, percent-decoded. Returns
 * false at the end. */
bool note_next(const char **at, char *key, size_t key_size, char *value, size_t value_size);
