/* What scripted devices share: whether another one, of another process, is open meanwhile. */
#ifndef DEVICE_FAKE_BUS_H
#define DEVICE_FAKE_BUS_H

#include <stdbool.h>

/* Takes a place on the bus that this file is; -1: it is none. Closing the descriptor, or dying, leaves it. */
int fake_bus_join(const char *path);
bool fake_bus_is_shared(int bus);

#endif
