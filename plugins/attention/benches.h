/* Adds the benches of the plugin. Each function opens its own services, but attention_window_add() uses those of
 * "forward". */
#ifndef ATTENTION_BENCHES_H
#define ATTENTION_BENCHES_H

#include <gpubench/gpubench.h>

gb_status attention_forward_add(const gb_host *host, gb_registry *registry);
gb_status attention_window_add(const gb_host *host, gb_registry *registry);
gb_status attention_varlen_add(const gb_host *host, gb_registry *registry);
gb_status attention_decode_add(const gb_host *host, gb_registry *registry);
gb_status attention_backward_add(const gb_host *host, gb_registry *registry);

#endif
