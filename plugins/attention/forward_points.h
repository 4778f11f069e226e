/* The axes (parameters) and presets (named sets of their values) of the bench "forward". */
#ifndef ATTENTION_FORWARD_POINTS_H
#define ATTENTION_FORWARD_POINTS_H

#include <gpubench/gpubench.h>

extern const gb_axis *const attention_forward_axes[];
extern const gb_preset *const attention_forward_presets[];

#endif
