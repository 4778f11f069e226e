/* gb.graph/1. */
#ifndef CASE_SERVICES_GRAPH_H
#define CASE_SERVICES_GRAPH_H

#include <gpubench/ext/graph.h>

#include "model/model.h"

extern const gb_graph_ext services_graph;

/* Where graphs go; set once by the worker. */
extern void (*services_graph_sink)(uint32_t variant, const struct graph_desc *graph);

/* After every `prepare`: hands over what it stated if it returned GB_OK, and forgets it. */
void services_graph_end(gb_case *c, uint32_t variant, bool prepared);

#endif
