/* What ran beside a variant, in words. */
#ifndef ASK_COMPANY_H
#define ASK_COMPANY_H

#include "ask/epoch.h"

/* How messages begin of variants that something was seen of in company, and not alone: beside other providers, and
 * where these are not to blame or cannot be. */
#define COMPANY_HARMED "harmed by what ran beside it: "
#define COMPANY_UNKNOWN "in company; cause not found"

/* Had any other provider variants in the epoch's process? */
bool company_has_providers(const struct epoch *e, size_t index);

/* "X, Y": the other providers that had variants in the epoch's process; where there were none, the other variants. The
 * caller frees. */
char *company_names(const struct epoch *e, size_t index);

#endif
