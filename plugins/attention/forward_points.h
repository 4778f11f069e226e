/* The axes and presets of the bench "forward". Names that end in a number belong to the earlier contract of that
 * number. */
#ifndef ATTENTION_FORWARD_POINTS_H
#define ATTENTION_FORWARD_POINTS_H

#include <gpubench/gpubench.h>

extern const gb_axis *const attention_forward_axes[], *const attention_forward_axes_3[];
extern const gb_axis *const attention_forward_axes_2[], *const attention_forward_axes_1[];
extern const gb_preset *const attention_forward_presets[], *const attention_forward_presets_3[];
extern const gb_preset *const attention_forward_presets_2[], *const attention_forward_presets_1[];

#endif
