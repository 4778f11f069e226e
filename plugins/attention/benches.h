/* The benches of the plugin: each opens its services and adds itself; window takes those of forward. */
#ifndef ATTENTION_BENCHES_H
#define ATTENTION_BENCHES_H

#include <gpubench/gpubench.h>

gb_status attention_forward_add(const gb_host *host, gb_registry *registry);
gb_status attention_window_add(const gb_host *host, gb_registry *registry);
gb_status attention_varlen_add(const gb_host *host, gb_registry *registry);
gb_status attention_decode_add(const gb_host *host, gb_registry *registry);
gb_status attention_backward_add(const gb_host *host, gb_registry *registry);

#endif
