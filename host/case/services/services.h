/* The services of the host for plugins: the host table and the extensions, as thin adapters over cases. */
#pragma once

#include "plugin/registry.h"

/* The table that each plugin gets a copy of. */
extern const gb_host services_host;
