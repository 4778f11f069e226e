/* Reasons why a row's time does not prove that it is faster, and the verdicts that a reason removes. The functions do
 * no I/O and use no global state.
 *
 * A verdict compares the times of two rows: a row, and its denominator (the row that it is compared with). A variant
 * that may have saved work unnoticed may really be slower than its time says, but never faster. So a reason of the row
 * removes the verdict "faster", a reason of the denominator removes "slower", and a reason of either removes "same". A
 * reason that both rows have removes nothing, because both may have saved work in the same way. record_word_taken() has
 * an exception for rows of different plugins. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"

/* Bit 1 << reason in a `uint32_t unproven`. A new reason goes before UNPROVEN_OTHER and needs a line in unproven.c. */
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
/* All valid bits: other bits that a worker sends are cleared. */
#define UNPROVEN_ALL (UNPROVEN_BIT(UNPROVEN_REASONS) - 1)
/* Reasons that concern a pair of rows (a row and its denominator) and not one row alone. */
#define UNPROVEN_OF_TWO (UNPROVEN_BIT(UNPROVEN_PRECISION) | UNPROVEN_BIT(UNPROVEN_ERROR) | UNPROVEN_BIT(UNPROVEN_REUSE))

enum { UNPROVEN_TEXT = 128 }; /* size of a text with all names, joined */

/* Returns "untimed", ...: the name used in files. */
const char *unproven_name(enum unproven reason);
/* Returns the explanation that a report prints after "unproven: ". */
const char *unproven_sentence(enum unproven reason);

/* Writes the names, joined by ';'; "" if there are none. `size` is at least UNPROVEN_TEXT. */
void unproven_print(uint32_t reasons, char *to, size_t size);
/* Parses what unproven_print() wrote. NULL: no reasons. */
uint32_t unproven_parse(const char *text);
/* Writes the sentences, joined by "; ". */
void unproven_words(uint32_t reasons, char *to, size_t size);

/* Returns the reasons that remove the verdict `word` from a row; 0: the verdict holds. `own`: reasons of the row;
 * `denominators`: reasons of the row that it is compared with. */
uint32_t unproven_takes(enum verdict word, uint32_t own, uint32_t denominators);
