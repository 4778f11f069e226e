/* gb.graph/1: the graph that a variant states in `prepare`. */
#pragma once

#include <gpubench/ext/graph.h>

#include "model/model.h"

extern const gb_graph_ext services_graph;

/* A function that takes each graph that a variant has stated; the worker sets it once. */
extern void (*services_graph_sink)(uint32_t variant, const struct graph_desc *graph);

/* Call it after every `prepare`: passes on the graph if `prepare` returned GB_OK, and drops it. */
void services_graph_end(gb_case *c, uint32_t variant, bool prepared);
