/* The cases of the gemm bench that have a name. */
#ifndef MATMUL_PRESETS_H
#define MATMUL_PRESETS_H

#include <gpubench/gpubench.h>

extern const gb_preset *const matmul_presets[];

#endif
