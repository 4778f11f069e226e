/* A plugin by itself: its file, what it registers, how it is opened and closed. */
#ifndef CHECK_FILE_H
#define CHECK_FILE_H

#include "ask/describe.h"
#include "check/findings.h"
#include "check/place.h"

/* Describes it into the catalog. -1 with exit 2: there is no such file. False in `*usable`: it is refused, which has
 * been found. */
int check_file(const char *name, enum loader_trust trust, double timeout_s, struct catalog *catalog, size_t *index,
               bool *usable, struct findings *f, struct err *err);

/* Of one that is described: opened once more and closed. */
void check_life(const struct catalog_plugin *plugin, double timeout_s, const struct place *place, struct findings *f);

#endif
