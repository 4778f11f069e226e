/* The axes and presets of the bench "forward". A name that ends in a number belongs to the older version of the
 * contract with this number. */
#ifndef ATTENTION_FORWARD_POINTS_H
#define ATTENTION_FORWARD_POINTS_H

#include <gpubench/gpubench.h>

extern const gb_axis *const attention_forward_axes[], *const attention_forward_axes_3[];
extern const gb_axis *const attention_forward_axes_2[], *const attention_forward_axes_1[];
extern const gb_preset *const attention_forward_presets[], *const attention_forward_presets_3[];
extern const gb_preset *const attention_forward_presets_2[], *const attention_forward_presets_1[];

#endif
