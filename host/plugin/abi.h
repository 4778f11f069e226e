/* The border to foreign code: the only file that reads structs written by plugins. It checks their sizes, copies them
 * into the host's own zeroed structs (a shorter one leaves the rest zero; a longer one is accepted only if the unknown
 * tail is zero) and checks every field. The rest of the host sees only the copies. */
#pragma once

#include <gpubench/ext/case.h>
#include <gpubench/ext/draft/span.h>
#include <gpubench/ext/graph.h>
#include <gpubench/ext/metric.h>
#include <gpubench/ext/option.h>
#include <gpubench/ext/tensor.h>
#include <gpubench/gpubench.h>

#include "base/err.h"
#include "model/model.h"
#include "model/services/metric.h"
#include "model/services/timeline.h"
#include "model/setting.h"

/* Returned for a flag, a math or a tail that a later minor version has added. Only the variant that uses it is left
 * out. Negative results: refused. */
enum { ABI_NEWER = 1 };

/* These copy and check one struct each. A refusal names the object and both values, with exit code 3. */
int abi_plugin(const void *symbol, gb_plugin *own, struct plugin_desc *desc, struct err *err);
int abi_bench(const gb_bench *theirs, gb_bench *own, struct bench_desc *desc, struct err *err);
int abi_variant(const gb_variant *theirs, gb_variant *own, struct variant_desc *desc, struct err *err);
int abi_tensor(const gb_tensor *theirs, gb_tensor *own, struct err *err);
int abi_work(const gb_work *theirs, gb_work *own, struct err *err);
int abi_graph_node(const gb_graph_node *theirs, struct graph_node *desc, struct err *err);
/* The caller resolves the two ends. */
int abi_graph_edge(const gb_graph_edge *theirs, gb_graph_edge *own, struct graph_edge *desc, struct err *err);

/* Checks the default and the range as well. */
int abi_option(const gb_option *theirs, struct setting_desc *desc, struct err *err);
int abi_metric(const gb_metric *theirs, struct metric_desc *desc, struct err *err);
/* Times stay on their clock. */
int abi_span(const gb_span *theirs, struct timeline_span *desc, struct err *err);

/* Checks a contract id: a bench's own, or the one that a guest names. */
int abi_contract(const char *theirs, char *own, size_t size, struct err *err);
