/* Functions that add the benches of this plugin to gpubench. Each of them, except attention_window_add(), also looks up
 * the functions that gpubench offers to plugins. attention_window_add() must be called after attention_forward_add(),
 * because the bench "window" uses the functions that this one has looked up. */
#ifndef ATTENTION_BENCHES_H
#define ATTENTION_BENCHES_H

#include <gpubench/gpubench.h>

gb_status attention_forward_add(const gb_host *host, gb_registry *registry);
gb_status attention_window_add(const gb_host *host, gb_registry *registry);
gb_status attention_varlen_add(const gb_host *host, gb_registry *registry);
gb_status attention_decode_add(const gb_host *host, gb_registry *registry);
gb_status attention_backward_add(const gb_host *host, gb_registry *registry);

#endif
