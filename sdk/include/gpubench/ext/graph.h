/* gb.graph/1: the work of a variant as a graph, for the report's diagram: what it launches, which tensors it keeps in
 * memory, what flows between them. Nothing is measured by it and no figure depends on it. */
#ifndef GPUBENCH_EXT_GRAPH_H
#define GPUBENCH_EXT_GRAPH_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_GRAPH "gb.graph/1"

/* What a node is. The first four are steps, counted as such; a tensor is data that lies in memory between steps. */
#define GB_NODE_KERNEL 1u /* one launch of a kernel */
#define GB_NODE_COPY 2u   /* a memcpy */
#define GB_NODE_MEMSET 3u /* a memset */
#define GB_NODE_HOST 4u   /* work of the CPU: all steps of a "cpu" variant */
#define GB_NODE_TENSOR 5u /* an array in the device's memory, also one of gb.mem/1 */

/* One step or tensor. Plugin to host, copied by `node`; grows by appending. Since 1.0. */
typedef struct gb_graph_node {
  uint32_t struct_size;
  uint32_t kind;     /* GB_NODE_* */
  const char *id;    /* a name, unique in the graph: "scores" */
  const char *label; /* what is shown: "S = Q K^T"; plain text; NULL: the id */
  const char *note;  /* a smaller line: "128 x 128 tiles in shared memory"; may be NULL */
  uint64_t flops;    /* operations of this step in one iteration; 0: not stated */
  uint64_t bytes;    /* a tensor's size, a copy's or memset's amount; 0: not stated */
} gb_graph_node;

/* What flows: from a tensor into a step that reads it, from a step into a tensor that it writes, or from a step to a
 * later one by other ways. Plugin to host, copied by `edge`; grows by appending. Since 1.0. */
typedef struct gb_graph_edge {
  uint32_t struct_size;
  uint32_t reserved;
  const char *from;  /* the id of a node stated before */
  const char *to;    /* another one's */
  const char *label; /* "read three times"; plain text; may be NULL */
  uint64_t bytes;    /* that cross it in one iteration, each read and write counted; 0: not stated */
} gb_graph_edge;

/* Host to plugin; frozen. A graph belongs to the variant whose `prepare` states it; the last `prepare` that returned
 * GB_OK wins. What is wrong with a node or an edge records a failure on the case, which fails the callback whatever it
 * returns, and gives GB_EINVAL. Since 1.0. */
typedef struct gb_graph_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* States a node. [case, in a variant's prepare] At most 64 in a graph. */
  gb_status (*node)(gb_case *c, const gb_graph_node *node);

  /* States an edge between two nodes. [case, in a variant's prepare] At most 128 in a graph; a pair of nodes may have
   * several. */
  gb_status (*edge)(gb_case *c, const gb_graph_edge *edge);
} gb_graph_ext;

#ifdef __cplusplus
}
#endif
#endif
