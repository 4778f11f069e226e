/* Former names in stored runs, and the names that replaced them. Readers translate the former names at once, so that
 * the other code knows only the present ones. reports/CHANGES.md lists the same names. */
#pragma once

#include <stddef.h>

enum renamed_kind {
  RENAMED_COLUMN,   /* names of columns of results.csv and the other CSV files */
  RENAMED_VERDICT,  /* values of the column `verdict` */
  RENAMED_OUTCOME,  /* values of the column `outcome` of against.csv, the comparison with a baseline run */
  RENAMED_CONTRACT, /* values of the column `contract` */
  /* keys of [environment] in run.ini; if a former name ends in '*', the entry renames all keys that begin with it */
  RENAMED_KEY,
};

struct renamed {
  enum renamed_kind kind;
  const char *former, *name;
};

extern const struct renamed renamed_table[];
extern const size_t renamed_count;

/* Returns the present name; `name` itself if it was not renamed. */
const char *renamed_name(enum renamed_kind kind, const char *name);

/* Returns the present name of a key of run.ini. A prefix "device.N." or "shard.N." stays as it is. The caller frees the
 * name. */
char *renamed_key(const char *name);
