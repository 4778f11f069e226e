/* What the host offers to plugins: the host table and the extensions, as thin adapters over cases. */
#ifndef CASE_SERVICES_SERVICES_H
#define CASE_SERVICES_SERVICES_H

#include "plugin/registry.h"

/* The table of which each plugin is handed a copy. */
extern const gb_host services_host;

/* Where log lines of plugins go; set once by the worker. */
extern void (*services_log)(const char *plugin, int32_t level, const char *message);

#endif
