/* The axes (parameters) and presets (named sets of their values) of the bench "forward". If a name ends in a number, it
 * belongs to the bench as it was in the older version of its contract with this number. */
#ifndef ATTENTION_FORWARD_POINTS_H
#define ATTENTION_FORWARD_POINTS_H

#include <gpubench/gpubench.h>

extern const gb_axis *const attention_forward_axes[], *const attention_forward_axes_3[];
extern const gb_axis *const attention_forward_axes_2[], *const attention_forward_axes_1[];
extern const gb_preset *const attention_forward_presets[], *const attention_forward_presets_3[];
extern const gb_preset *const attention_forward_presets_2[], *const attention_forward_presets_1[];

#endif
