/* Many elements of a filled tensor, in code of each type's own. */
#ifndef MODEL_DATA_FILL_RANGE_H
#define MODEL_DATA_FILL_RANGE_H

#include "model/data/fill.h"

/* Elements `first` to `first` + `count` - 1 of what is filled so, at the beginning of `storage`. */
void fill_range(const struct fill *fill, uint64_t first, uint64_t count, void *storage);

#endif
