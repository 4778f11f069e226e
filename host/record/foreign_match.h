/* Which cases of the runs foreign rows are of. */
#ifndef RECORD_FOREIGN_MATCH_H
#define RECORD_FOREIGN_MATCH_H

#include <stdbool.h>

#include "record/run_data.h"

/* Sets the fate of every row, and adds a sentence on those that have no case to the data's notes. */
void foreign_match(struct run_data *data);
/* Is there a row for the page or the directory of this run? */
bool foreign_match_is_of(const struct run_data *data, const struct foreign_row *row, size_t run);

#endif
