/* Words between providers, held against what is seen of both variants alone: the denominator in a process with the
 * bench's owner and its own provider, the variant in another, one after the other. Words within one provider are its
 * author's and are not looked at. */
#ifndef RUN_ALONE_H
#define RUN_ALONE_H

#include "run/claims.h"

/* Looks at the variants whose words are between providers, and writes into their rows what came of it: a word that does
 * not hold becomes "unproven", one that was not looked at enough "not checked alone". Their samples are in no figure of
 * a row. Returns false where an interruption kept it from looking. */
bool alone_check(const struct alone_check *check);

#endif
