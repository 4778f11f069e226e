/* Lines the catalog up: every bench with all that implement it. Pure. */
#ifndef PLAN_BUILD_LINEUP_H
#define PLAN_BUILD_LINEUP_H

#include "plan/lineup.h"

/* All benches of the catalog; those of several builds of a plugin as the first build offers them, with all builds'
 * variants. A plugin of guests alone, of whose contracts nobody offers one, two plugins of one id without labels, and
 * two variants that would be shown alike: exit 2. */
int lineups_build(const struct catalog *catalog, const char *backend, struct lineups *lineups, struct err *err);
/* The same without the refusals and with no variant `here`: for showing what there is. */
void lineups_all(const struct catalog *catalog, struct lineups *lineups);

#endif
