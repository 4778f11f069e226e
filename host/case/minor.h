/* Minors of contracts: with which minor of its contract a case came, and which guests (variants of other plugins) were
 * written for it. */
#pragma once

#include "case/calls.h"

/* Asks the bench with which minor of its contract the case came. If the bench answers wrongly, the outcome is
 * OUTCOME_FAIL with the reason. */
void minor_ask(struct gb_case *c, uint32_t *minor, struct outcome *says);

/* Returns true if the variant is a guest that was written for a minor before `minor`, with which the case came. */
bool minor_is_later(const struct variant *variant, uint32_t minor);

/* Writes why such a guest does not run the case. */
void minor_reason(const struct variant *variant, uint32_t minor, char *to, size_t size);
