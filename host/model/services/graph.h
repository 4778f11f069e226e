/* The graph in which a variant describes its work (kernels, copies, tensors), and the check that it is valid. The
 * functions do no I/O and use no global state. */
#pragma once

#include "model/model.h"

/* Returns the index of the node with this id, or -1. */
int graph_find(const struct graph_desc *graph, const char *id);

/* Checks a graph that came from a process with foreign code: terminates its texts and makes them printable. Returns
 * false if a count, kind, id or end of an edge is invalid. */
bool graph_check(struct graph_desc *graph);

/* Returns "kernel", "copy", "memset", "host" or "tensor"; "?" for an invalid kind. */
const char *graph_kind_name(uint32_t kind);
/* Returns the kind of a name; 0 for an unknown one. */
uint32_t graph_kind_parse(const char *name);
