/* Notes on how a variant did it, gb.note/1: "k=v;k=v" beside its row. Pure. */
#ifndef MODEL_SERVICES_NOTE_H
#define MODEL_SERVICES_NOTE_H

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

/* The note of this key, a new one at the end if there is none yet; NULL: there are NOTES_MAX already. */
struct note *note_place(struct note_list *list, const char *key);

/* What arrives from a process that runs foreign code: false where a count or a key is none, or a key is there twice. */
bool note_check(struct note_list *list);

/* As the column `notes` has them: "k=v;k=v", values percent-encoded like those of axes. The caller frees. */
char *note_text(const struct note_list *list);

/* The next of them: key and value, percent-decoded. False at the end. */
bool note_next(const char **at, char *key, size_t key_size, char *value, size_t value_size);

#endif
