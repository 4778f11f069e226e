/* Notes, in which a variant says how it works: keeps, checks, prints and parses them. */
#include "model/services/note.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct note *note_place(struct note_list *list, const char *key) {
  for (uint32_t i = 0; i < list->count; i++)
    if (strcmp(list->notes[i].key, key) == 0) return &list->notes[i];
  if (list->count == NOTES_MAX) return NULL;
  struct note *note = &list->notes[list->count++];
  *note = (struct note){0};
  text_copy(note->key, sizeof note->key, key);
  return note;
}

bool note_check(struct note_list *list) {
  if (list->count > NOTES_MAX) return false;
  for (uint32_t i = 0; i < list->count; i++) {
    struct note *note = &list->notes[i];
    note->key[ID_SIZE - 1] = note->text[TEXT_SIZE - 1] = '\0';
    text_sanitize(note->text);
    if (!text_is_id(note->key)) return false;
    for (uint32_t j = 0; j < i; j++)
      if (strcmp(list->notes[j].key, note->key) == 0) return false;
  }
  return true;
}

char *note_text(const struct note_list *list) {
  enum { MOST = ID_SIZE + 3 * TEXT_SIZE + 2 };
  char *text = xcalloc(NOTES_MAX, MOST), value[3 * TEXT_SIZE];
  size_t used = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    text_percent_encode(value, sizeof value, list->notes[i].text, ";=");
    int length =
        snprintf(text + used, (size_t)NOTES_MAX * MOST - used, "%s%s=%s", i > 0 ? ";" : "", list->notes[i].key, value);
    used += length > 0 ? (size_t)length : 0;
  }
  return text;
}

/* Copies a key or a value to `to` and decodes it; truncates it if it does not fit. */
static void copy_note_item(char *to, size_t size, const char *from, size_t length) {
  text_copy(to, length < size ? length + 1 : size, from);
  text_percent_decode(to);
  text_sanitize(to);
}

bool note_next(const char **at, char *key, size_t key_size, char *value, size_t value_size) {
  while (**at == ';')
    ++*at;
  if (**at == '\0') return false;
  size_t whole = strcspn(*at, ";"), name = strcspn(*at, ";=");
  copy_note_item(key, key_size, *at, name);
  copy_note_item(value, value_size, *at + name + (name < whole), whole - name - (name < whole));
  *at += whole;
  return true;
}
