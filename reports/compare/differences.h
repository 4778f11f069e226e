/* What differs between two runs beside their times. One table says what makes them unlike, so that their ratios are no
 * statement about the code, and what is only shown. Pure. */
#ifndef COMPARE_DIFFERENCES_H
#define COMPARE_DIFFERENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "record/against.h"
#include "record/run_data.h"

struct compare_differences {
  struct against_difference *items; /* those that count first */
  size_t count, counting;
  struct strings unknown; /* what would count and is known of one run only */
  bool same_files;        /* all plugins are the same files: a look at the machine, not at a change */
};

void compare_differences_find(const struct run_data *base, const struct run_data *other,
                              struct compare_differences *differences);
void compare_differences_free(struct compare_differences *differences);

#endif
