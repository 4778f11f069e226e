/* What compare/build.c puts a comparison together from. Pure. */
#ifndef COMPARE_BUILD_H
#define COMPARE_BUILD_H

#include "compare/compare.h"

/* compare/join.c: fills rows, yardsticks and what is only on one side. The rows are in the base's order; nothing is
 * judged yet. */
void compare_join(struct compare *compare);

/* compare/labels.c: as much as tells apart. Of the runs their names where they differ, else their directories' names,
 * else what was typed; of the rows the preset and those axes that vary among the cases of its bench, or the key's where
 * that is nothing. */
void compare_label_runs(const struct compare_input *base, const struct compare_input *others, struct compare *compare);
void compare_label_rows(struct compare_row *rows, size_t count);

#endif
