/* Names in stored runs that were replaced. No other code knows the former ones: readers translate them, so that only
 * present names are used after reading. reports/CHANGES.md lists the same. */
#pragma once

#include <stddef.h>

enum renamed_kind {
  RENAMED_COLUMN,  /* of results.csv and the other CSV files */
  RENAMED_VERDICT, /* values of the column `verdict` */
  RENAMED_OUTCOME, /* values of the column `outcome` of against.csv */
  RENAMED_KEY,     /* of [environment] in run.ini; a former name that ends in '*' is the beginning of a key */
};

struct renamed {
  enum renamed_kind kind;
  const char *former, *name;
};

extern const struct renamed renamed_table[];
extern const size_t renamed_count;

/* Returns the present name; `name` itself if it was not renamed. */
const char *renamed_name(enum renamed_kind kind, const char *name);

/* Returns the present name of a key, with "device.N." or "shard.N." in front as it is. The caller frees it. */
char *renamed_key(const char *name);
