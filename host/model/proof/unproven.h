/* Why a row's time does not prove that it is faster, and which words that takes from it. Pure.
 *
 * A word about two rows rests on the times of both. A row that could have saved work where nobody looked may be slower
 * than its time says, never faster. So reasons of a row take "faster" from it, reasons of its denominator take
 * "slower", and reasons of either take "same". A reason that both have takes nothing: both may have saved in the same
 * way; what rows of other plugins are not excused from is record_word_taken()'s. */
#ifndef MODEL_PROOF_UNPROVEN_H
#define MODEL_PROOF_UNPROVEN_H

#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"

/* Bit 1 << reason in a `uint32_t unproven`. A reason is added before UNPROVEN_OTHER, with a line in unproven.c. */
enum unproven {
  UNPROVEN_UNTIMED,
  UNPROVEN_FORESEEN,
  UNPROVEN_FEW,
  UNPROVEN_PRECISION,
  UNPROVEN_ERROR,
  UNPROVEN_REUSE,
  UNPROVEN_ALONE,
  UNPROVEN_CLOCK,
  UNPROVEN_STATED,
  UNPROVEN_OTHER, /* a file names a reason that this version does not know */
  UNPROVEN_REASONS
};

#define UNPROVEN_BIT(reason) (UINT32_C(1) << (reason))
/* All bits that mean something: what a worker sends is cut to these. */
#define UNPROVEN_ALL (UNPROVEN_BIT(UNPROVEN_REASONS) - 1)
/* Reasons that are of a row and the one that it is compared with, not of one row alone. */
#define UNPROVEN_OF_TWO (UNPROVEN_BIT(UNPROVEN_PRECISION) | UNPROVEN_BIT(UNPROVEN_ERROR) | UNPROVEN_BIT(UNPROVEN_REUSE))

enum { UNPROVEN_TEXT = 128 }; /* room for all names, joined */

/* "untimed": as files have it. */
const char *unproven_name(enum unproven reason);
/* Why, in words that follow "unproven: ". */
const char *unproven_sentence(enum unproven reason);

/* The names, joined by ';'; "" for none. `size` at least UNPROVEN_TEXT. */
void unproven_print(uint32_t reasons, char *to, size_t size);
/* The reverse. NULL: none. */
uint32_t unproven_parse(const char *text);
/* The sentences, joined by "; ". */
void unproven_words(uint32_t reasons, char *to, size_t size);

/* The reasons that take `word` from a row: none, and the word holds. */
uint32_t unproven_takes(enum verdict word, uint32_t own, uint32_t denominators);

#endif
