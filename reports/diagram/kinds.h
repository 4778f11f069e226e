/* The diagrams that a report shows. Each fills in a diagram, with a description that says the same in words; false:
 * there is nothing to show. All are to be freed. */
#ifndef DIAGRAM_KINDS_H
#define DIAGRAM_KINDS_H

#include "diagram/diagram.h"
#include "record/run_data.h"
#include "summary/pairwise.h"
#include "summary/summary.h"

/* An arrow from a variant to those that it beats. `name`: of the bench, as shown. */
bool diagram_of_pairwise(struct diagram *d, const char *id, const char *name, const struct run_bench *bench,
                         const struct pairwise *pairwise);

/* What a variant launches. `most_bytes`: of the thickest arrow among those that it is compared with.
 */
bool diagram_of_graph(struct diagram *d, const char *id, const struct run_graph *graph, uint64_t most_bytes);
uint64_t diagram_graph_most(const struct run_graph *graph);
size_t diagram_graph_steps(const struct run_graph *graph);     /* what is no tensor */
const char *diagram_graph_kind(const struct graph_node *node); /* in words */

/* The parts of the machine as run.ini has them, and the links between them. */
bool diagram_of_machine(struct diagram *d, const char *id, const struct pairs *environment);

#endif
