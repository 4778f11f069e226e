/* Describe variants (implementations of attention) as graphs of steps and tensors, which the report shows as
 * diagrams. */
#ifndef ATTENTION_GRAPH_H
#define ATTENTION_GRAPH_H

#include <gpubench/sugar.h>

#include "kernels.h"

gb_status attention_graph_cuda_standard(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);
gb_status attention_graph_cuda_flash(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);
gb_status attention_graph_cuda_wgmma(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);
gb_status attention_graph_cudnn(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);
gb_status attention_graph_cpu_standard(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);
gb_status attention_graph_cpu_flash(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);
gb_status attention_graph_openblas(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);

#endif
