/* Registering benches and variants while a plugin is open. */
#ifndef PLUGIN_REGISTER_H
#define PLUGIN_REGISTER_H

#include "plugin/registry.h"

/* gb_host's `add` and `attach`. */
gb_status register_bench(const gb_host *host, gb_registry *registry, const gb_bench *bench);
gb_status register_guest(const gb_host *host, gb_registry *registry, const char *contract, const gb_variant *variant);

#endif
