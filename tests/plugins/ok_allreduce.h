/* The variants of ok_allreduce on GPUs (ok_allreduce.cu). */
#ifndef OK_ALLREDUCE_H
#define OK_ALLREDUCE_H

#include <gpubench/sugar.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const gb_variant allreduce_nccl, allreduce_peer;
extern gb_sdk gb;

#ifdef __cplusplus
}
#endif
#endif
