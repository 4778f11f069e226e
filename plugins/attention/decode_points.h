/* The axes (parameters) and presets (named sets of their values) of the bench "decode". */
#ifndef ATTENTION_DECODE_POINTS_H
#define ATTENTION_DECODE_POINTS_H

#include <gpubench/gpubench.h>

extern const gb_axis *const attention_decode_axes[];
extern const gb_preset *const attention_decode_presets[];

#endif
