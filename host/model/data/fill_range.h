/* Fills ranges of a tensor's elements, with code specialised for each type. */
#pragma once

#include "model/data/fill.h"

/* Writes elements `first` to `first` + `count` - 1 of the filled tensor to the beginning of `storage`. */
void fill_range(const struct fill *fill, uint64_t first, uint64_t count, void *storage);
