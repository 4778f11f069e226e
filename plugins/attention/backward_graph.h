/* Describes a variant (an implementation) of the bench "backward" as a graph of steps and tensors, which the report
 * shows as a diagram. */
#ifndef ATTENTION_BACKWARD_GRAPH_H
#define ATTENTION_BACKWARD_GRAPH_H

#include <gpubench/sugar.h>

#include "backward_kernels.h"

/* How often a variant computes P (the softmax weights) and dS (the gradients of the scores). IN_MEMORY: once, for all
 * heads, and keeps them in memory. TWICE: block by block, once for dQ and again for dK and dV. ONCE: block by block,
 * once for all three gradients. */
enum backward_keeping { IN_MEMORY, TWICE, ONCE };

gb_status attention_backward_graph(const gb_sdk *sdk, gb_case *c, const struct backward_problem *p, uint32_t kind,
                                   enum backward_keeping keeping);

#endif
