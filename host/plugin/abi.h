/* The border to plugin code: the only file that reads structs written by plugins. It checks their sizes, copies them
 * into the host's own zeroed structs (members that a shorter struct lacks stay zero; a longer struct is accepted only
 * if its unknown tail is zero) and checks every field. The rest of the host sees only the copies. */
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

/* Result of the functions below if a struct uses something of a later minor version: a flag, a constant, a member, or a
 * reserved word that is not 0. Such a thing costs only itself: the variant or the bench is left out, the case of a
 * tensor or of its work is skipped, a node, an edge or a metric is dropped. A negative result is an error of the
 * plugin. */
enum { ABI_NEWER = 1 };

/* Each of these functions copies one struct of a plugin and checks it. If a struct is refused, the exit code is 3, and
 * the message names the object (such as a bench), the value found and the value expected. */
int abi_plugin(const void *symbol, gb_plugin *own, struct plugin_desc *desc, struct err *err);
int abi_bench(const gb_bench *theirs, gb_bench *own, struct bench_desc *desc, struct err *err);
int abi_variant(const gb_variant *theirs, gb_variant *own, struct variant_desc *desc, struct err *err);
int abi_tensor(const gb_tensor *theirs, gb_tensor *own, struct err *err);
int abi_work(const gb_work *theirs, gb_work *own, struct err *err);
int abi_graph_node(const gb_graph_node *theirs, struct graph_node *desc, struct err *err);
/* Copies and checks an edge of a graph; the caller finds the nodes at its two ends. */
int abi_graph_edge(const gb_graph_edge *theirs, gb_graph_edge *own, struct graph_edge *desc, struct err *err);

/* Copies and checks an option, including its default and its range. */
int abi_option(const gb_option *theirs, struct setting_desc *desc, struct err *err);
int abi_metric(const gb_metric *theirs, struct metric_desc *desc, struct err *err);
/* Copies and checks a span, that is an interval on the timeline of a variant. Its times are not converted: they remain
 * times of the plugin's clock. */
int abi_span(const gb_span *theirs, struct timeline_span *desc, struct err *err);

/* Checks a contract: the text that identifies a bench, and by which a variant of another plugin names the bench that it
 * belongs to. Copies it to `own`, which has CONTRACT_SIZE bytes. */
int abi_contract(const char *theirs, char *own, struct err *err);
