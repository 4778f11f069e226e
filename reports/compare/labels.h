/* Short names for runs and cases: as much as tells them apart. Pure. */
#ifndef COMPARE_LABELS_H
#define COMPARE_LABELS_H

#include "compare/compare.h"

/* The runs' names where they differ, else their directories' names, else what was typed. */
void compare_label_runs(const struct compare_input *base, const struct compare_input *others, struct compare *compare);

/* The preset and those axes that vary among the cases of its bench; the key's where that is nothing. */
void compare_label_rows(struct compare_row *rows, size_t count);

#endif
