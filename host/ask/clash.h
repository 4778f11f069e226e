/* Finds plugins that cannot share a process: if both bring a library of the same name, only one of the two libraries is
 * loaded, and one plugin would be measured with the other's library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "model/model.h"

/* Compares plugin `index` of the catalog with the plugins before it that share a contract with it. `isolated`: each
 * provider gets a process with only the bench's owner and its own plugin. Exit code 3: there is a clash; the message
 * names both libraries. */
int clash_check(const struct catalog *catalog, size_t index, bool isolated, struct err *err);
