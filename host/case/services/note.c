/* gb.note/1: the notes of the variant that is being prepared or released. */
#include <stdlib.h>

#include "base/memory.h"
#include "case/calls.h"
#include "case/services/optional.h"

void (*services_note_sink)(uint32_t variant, const struct note_list *notes);

static gb_status note_set(gb_case *c, const char *key, const char *text) {
  if (!case_is(c, "gb.note/1 set")) return GB_EINVAL;
  char shown[2 * ID_SIZE];
  struct note *note = NULL;
  text_copy(shown, sizeof shown, key);
  text_sanitize(shown);
  if (c->phase != PHASE_PREPARE && c->phase != PHASE_REFRESH && c->phase != PHASE_RELEASE) {
    case_misuse(c, "gb.note/1 set is for prepare, refresh and release, not %s", phase_name(c->phase));
  } else if (key == NULL || !text_is_id(key)) {
    case_misuse(c, "note key '%s' is not a valid name", shown);
  } else {
    if (c->notes == NULL) c->notes = xcalloc(1, sizeof *c->notes);
    note = note_place(c->notes, key);
    if (note == NULL) case_misuse(c, "note '%s' is one more than %d", shown, NOTES_MAX);
  }
  if (note != NULL && !text_copy(note->text, sizeof note->text, text))
    case_misuse(c, "note '%s' has more than %d bytes", shown, TEXT_SIZE - 1);
  if (note != NULL) text_sanitize(note->text);
  return c->misused ? GB_EINVAL : GB_OK;
}

const gb_note_ext services_note = {.struct_size = sizeof(gb_note_ext), .set = note_set};

void services_note_end(gb_case *c, uint32_t variant, bool good) {
  if (good && c->notes != NULL && services_note_sink != NULL) services_note_sink(variant, c->notes);
  free(c->notes);
  c->notes = NULL;
}
