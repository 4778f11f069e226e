/* Declares what the benches "forward" and "window" share, which is everything but their axes and presets. */
#ifndef ATTENTION_FORWARD_H
#define ATTENTION_FORWARD_H

#include <gpubench/sugar.h>

#define ATTENTION_WINDOW "gpubench.org/attention/window/1"

/* Callbacks of the benches "forward" and "window". attention_forward_add() must be called first, because they use the
 * functions of gpubench that it looks up. */
gb_status attention_forward_supports(const gb_bench *self, gb_case *c);
gb_status attention_forward_setup(const gb_bench *self, gb_case *c, void **state);
gb_status attention_forward_reference(const gb_bench *self, gb_case *c, void *state);
void attention_forward_teardown(const gb_bench *self, gb_case *c, void *state);

#define ATTENTION_FORWARD                                                                                             \
  .supports = attention_forward_supports, .setup = attention_forward_setup, .reference = attention_forward_reference, \
  .teardown = attention_forward_teardown

extern const gb_variant *const attention_window_variants[];

#endif
