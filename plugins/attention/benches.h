/* Functions that add the benches of this plugin to gpubench. Each of them looks up the functions that gpubench offers
 * to plugins. Only attention_window_add() uses those that attention_forward_add() has looked up, and must be called
 * after it. */
#ifndef ATTENTION_BENCHES_H
#define ATTENTION_BENCHES_H

#include <gpubench/gpubench.h>

gb_status attention_forward_add(const gb_host *host, gb_registry *registry);
gb_status attention_window_add(const gb_host *host, gb_registry *registry);
gb_status attention_varlen_add(const gb_host *host, gb_registry *registry);
gb_status attention_decode_add(const gb_host *host, gb_registry *registry);
gb_status attention_backward_add(const gb_host *host, gb_registry *registry);

#endif
