/* The diagrams that a report shows. Each function that returns bool fills in a diagram and its description, which says
 * the same in words. It returns false if there is nothing to show. The caller frees the diagram in both cases. */
#pragma once

#include "diagram/diagram.h"
#include "record/run_data.h"
#include "summary/pairwise.h"
#include "summary/summary.h"

/* Draws an arrow from each variant to the variants that it is faster than. `name` is the name of the bench, as it is
 * shown. */
bool diagram_of_pairwise(struct diagram *d, const char *id, const char *name, const struct run_bench *bench,
                         const struct pairwise *pairwise);

/* diagram_of_graph() draws what a variant launches. Arrows that stand for more bytes are thicker. `most_bytes` is the
 * number of bytes of the thickest arrow of all graphs that are shown together. diagram_graph_most() returns the largest
 * number of bytes of an arrow of one graph. */
bool diagram_of_graph(struct diagram *d, const char *id, const struct run_graph *graph, uint64_t most_bytes);
uint64_t diagram_graph_most(const struct run_graph *graph);
size_t diagram_graph_steps(const struct run_graph *graph);     /* number of nodes that are not tensors */
const char *diagram_graph_kind(const struct graph_node *node); /* returns "kernel", "CPU step", ... */

/* Draws the parts of the machine that run.ini names, and the links between them. */
bool diagram_of_machine(struct diagram *d, const char *id, const struct pairs *environment);
