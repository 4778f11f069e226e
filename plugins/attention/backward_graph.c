/* Describes a variant (an implementation) of the bench "backward" as a graph of steps and tensors, which the report
 * shows as a diagram. */
#include "backward_graph.h"

#include <stdbool.h>
#include <string.h>

gb_status attention_backward_graph(const gb_sdk *sdk, gb_case *c, const struct backward_problem *p, uint32_t kind,
                                   enum backward_keeping keeping) {
  static const char *const how[] = {"in memory", "in blocks that stay in the cache, computed twice",
                                    "in blocks that stay in registers"};
  const bool in_memory = keeping == IN_MEMORY;
  const uint64_t pairs = (uint64_t)p->heads * (uint64_t)p->s * (uint64_t)p->s / (p->causal ? 2 : 1);
  const uint64_t product = 2 * pairs * (uint64_t)p->d, scores = pairs * sizeof(float);
  const uint64_t rows = (uint64_t)(p->heads * p->s) * (uint64_t)p->d * (p->bf16 ? 2 : 4);
  const uint64_t keys = rows / (uint64_t)p->group;
  const struct {
    const char *from, *to;
    uint64_t bytes;
  } edges[] = {
      {"q", "weights", rows}, {"k", "weights", keys},  {"v", "weights", keys}, {"do", "weights", rows},
      {"o", "weights", rows}, {"queries", "dq", rows}, {"keys", "dk", keys},   {"keys", "dv", keys},
  };
  static const char *const tensors[] = {"q", "k", "v", "o", "do", "dq", "dk", "dv"};
  gb_status status = GB_OK;
  for (size_t i = 0; i < sizeof tensors / sizeof tensors[0] && status == GB_OK; ++i) {
    const bool shared = tensors[i][strlen(tensors[i]) - 1] == 'k' || tensors[i][strlen(tensors[i]) - 1] == 'v';
    status = gb_node(sdk, c, GB_NODE_TENSOR, tensors[i], tensors[i], NULL, 0, shared ? keys : rows);
  }
  if (status == GB_OK)
    status = gb_node(sdk, c, kind, "weights", "P = exp(S - lse), dS = P (dO V^T - delta)", how[keeping],
                     (keeping == TWICE ? 4 : 2) * product, 0);
  if (status == GB_OK) status = gb_node(sdk, c, kind, "queries", "dQ = dS K", NULL, product, 0);
  if (status == GB_OK) status = gb_node(sdk, c, kind, "keys", "dK = dS^T Q, dV = P^T dO", NULL, 2 * product, 0);
  for (size_t i = 0; i < sizeof edges / sizeof edges[0] && status == GB_OK; ++i)
    status = gb_edge(sdk, c, edges[i].from, edges[i].to, NULL, edges[i].bytes);
  if (status == GB_OK) status = gb_edge(sdk, c, "weights", "queries", "dS", in_memory ? scores : 0);
  return status == GB_OK ? gb_edge(sdk, c, "weights", "keys", "P, dS", in_memory ? 2 * scores : 0) : status;
}
