/* What of a night asks for a confirmation, as JSON. */
#ifndef EXPORT_SUSPECTS_H
#define EXPORT_SUSPECTS_H

#include <stdio.h>

#include "trend/trend.h"

/* `rows`: the night's own. `baseline`: a night whose binaries are the old ones; SIZE_MAX: what the rule names for each.
 */
int suspects_json_write(const struct as_of *as_of, const struct run_data *rows, size_t baseline, FILE *out,
                        struct err *err);

#endif
