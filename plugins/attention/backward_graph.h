/* The variants of "backward" as graphs of steps and tensors, for the report's diagram. */
#ifndef ATTENTION_BACKWARD_GRAPH_H
#define ATTENTION_BACKWARD_GRAPH_H

#include <gpubench/sugar.h>

#include "backward_kernels.h"

/* What a variant does with P and dS: it keeps those of all heads in memory (IN_MEMORY), computes them blockwise once
 * for dQ and again for dK and dV (TWICE), or once for all three (ONCE). */
enum backward_keeping { IN_MEMORY, TWICE, ONCE };

gb_status attention_backward_graph(const gb_sdk *sdk, gb_case *c, const struct backward_problem *p, uint32_t kind,
                                   enum backward_keeping keeping);

#endif
