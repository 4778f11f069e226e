/* gb.graph/1: a variant's work as a graph, for the report's diagram: which kernels it launches, which tensors it keeps
 * in memory, and how data flows between them. The host measures nothing with it, and no figure depends on it. */
#ifndef GPUBENCH_EXT_GRAPH_H
#define GPUBENCH_EXT_GRAPH_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_GRAPH "gb.graph/1"

/* Kinds of nodes. The first four kinds are steps of the work, which the host counts. A tensor is data in memory between
 * steps. */
#define GB_NODE_KERNEL 1u /* one launch of a kernel */
#define GB_NODE_COPY 2u   /* a memcpy */
#define GB_NODE_MEMSET 3u /* a memset */
#define GB_NODE_HOST 4u   /* work of the CPU: all steps of a "cpu" variant */
#define GB_NODE_TENSOR 5u /* an array in device memory, also one from gb.mem/1 */

/* One step or tensor. The plugin gives this struct to `node`, which copies it; later versions may append members. Since
 * 1.0. */
typedef struct gb_graph_node {
  uint32_t struct_size;
  uint32_t kind;     /* GB_NODE_* */
  const char *id;    /* a name, unique in the graph: "scores" */
  const char *label; /* the text shown: "S = Q K^T"; plain text; NULL: the id */
  const char *note;  /* a second, smaller line: "128 x 128 tiles in shared memory"; may be NULL */
  uint64_t flops;    /* operations of this step in one iteration; 0: not given */
  uint64_t bytes;    /* size of a tensor, or bytes that a copy or memset moves; 0: not given */
} gb_graph_node;

/* A flow of data: from a tensor to a step that reads it, from a step to a tensor that it writes, or from a step to a
 * later step without a tensor in between. The plugin gives this struct to `edge`, which copies it; later versions may
 * append members. Since 1.0. */
typedef struct gb_graph_edge {
  uint32_t struct_size;
  uint32_t reserved;
  const char *from;  /* the id of a node that was added before */
  const char *to;    /* the id of another such node */
  const char *label; /* the text shown at the edge: "read three times"; plain text; may be NULL */
  uint64_t bytes;    /* bytes that flow in one iteration, counting each read and write; 0: not given */
} gb_graph_edge;

/* The host gives this table to plugins; it is frozen. A graph belongs to the variant whose `prepare` builds it. If
 * `prepare` is entered several times, the graph of the last call that returned GB_OK counts. A wrong node or edge
 * records a failure on the case, which fails the callback whatever it returns, and gives GB_EINVAL. A node of a kind
 * that this host does not know, or a node or edge with a later member, is left out with a warning, as are the edges of
 * such a node; the call returns GB_OK. Since 1.0. */
typedef struct gb_graph_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Adds a node to the graph. May be called in a variant's `prepare` [case-thread]. A graph has at most 64 nodes. */
  gb_status (*node)(gb_case *c, const gb_graph_node *node);

  /* Adds an edge between two nodes. May be called in a variant's `prepare` [case-thread]. A graph has at most 128
   * edges; two nodes may have several. */
  gb_status (*edge)(gb_case *c, const gb_graph_edge *edge);
} gb_graph_ext;

#ifdef __cplusplus
}
#endif
#endif
