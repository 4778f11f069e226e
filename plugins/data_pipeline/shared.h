/* From a case to what its bench's `setup` made, for the variants of the same plugin: the ABI hands that state to the
 * bench's own callbacks only. Keyed by the case, so any number of cases may be open. */
#ifndef DATA_PIPELINE_SHARED_H
#define DATA_PIPELINE_SHARED_H

#include "services.h"

gb_status shared_put(gb_case *c, void *state);
void *shared_get(gb_case *c); /* NULL: a guest's case, or none */
void shared_drop(gb_case *c);

#endif
