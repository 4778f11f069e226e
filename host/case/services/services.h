/* What the host offers to plugins: the host table and the extensions, as thin adapters over cases. */
#ifndef CASE_SERVICES_SERVICES_H
#define CASE_SERVICES_SERVICES_H

#include "plugin/registry.h"

/* The table of which each plugin is handed a copy. */
extern const gb_host services_host;

#endif
