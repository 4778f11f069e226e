/* gb.note/1: what a reader must know about how a variant did its work: the algorithm chosen, a library's path and
 * version. The text is shown with the row; nothing is computed from it. */
#ifndef GPUBENCH_EXT_NOTE_H
#define GPUBENCH_EXT_NOTE_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_NOTE "gb.note/1"

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_note_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Sets note `key` (a name) of the variant being prepared, refreshed or released. May be called in a variant's
   * `prepare`, `refresh` and `release` [case-thread]. The text is copied. A variant has at most 16 keys, each with at
   * most 255 bytes of text; a note beyond that is left out with a warning, and the call returns GB_OK. A wrong argument
   * records a failure on the case, which fails the callback whatever it returns, and gives GB_EINVAL. The variant's row
   * shows the notes of callbacks that returned GB_OK; if a key was set several times, the last text. */
  gb_status (*set)(gb_case *c, const char *key, const char *text);
} gb_note_ext;

#ifdef __cplusplus
}
#endif
#endif
