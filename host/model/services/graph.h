/* The graph of a variant's work: whether it is one. Pure. */
#ifndef MODEL_SERVICES_GRAPH_H
#define MODEL_SERVICES_GRAPH_H

#include "model/model.h"

/* Index of the node with this id, or -1. */
int graph_find(const struct graph_desc *graph, const char *id);

/* What arrives from a process that runs foreign code: counts, kinds, ids and ends must be right, else false; texts are
 * ended and made printable. */
bool graph_check(struct graph_desc *graph);

/* "kernel", "copy", "memset", "host", "tensor"; "?" for what is none. */
const char *graph_kind_name(uint32_t kind);
/* 0 for what is none. */
uint32_t graph_kind_parse(const char *name);

#endif
