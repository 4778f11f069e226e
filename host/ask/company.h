/* The other variants that ran in the process of a variant, for messages. */
#pragma once

#include "ask/epoch.h"

/* Message prefixes for a variant with which something went wrong among others, but not alone: the first if other
 * providers ran in the process, the second if none did or the cause cannot be determined. */
#define COMPANY_HARMED "harmed by what ran beside it: "
#define COMPANY_UNKNOWN "in company; cause not found"

/* Returns true if another provider had variants in the process that measured variant `index` in this epoch. */
bool company_has_providers(const struct epoch *e, size_t index);

/* Returns "X, Y": the other providers that had variants in that process, or the other variants if there were no other
 * providers. The caller frees the text. */
char *company_names(const struct epoch *e, size_t index);
