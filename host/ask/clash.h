/* Plugins that cannot be in one process: of a library that both bring under one name there would be one, and one of
 * them would be measured with the other's. */
#ifndef ASK_CLASH_H
#define ASK_CLASH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/model.h"

/* Holds the catalog's plugin `index` against those before it that have a contract with it. `isolated`: each provider is
 * to have a process with the bench's owner and nobody else. Exit 3 with both libraries named. */
int clash_check(const struct catalog *catalog, size_t index, bool isolated, struct err *err);

#endif
