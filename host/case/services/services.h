/* The services that the host offers to plugins, as tables of functions: the host table, and the extensions, whose
 * functions work on a case. */
#pragma once

#include <gpubench/ext/device.h>
#include <gpubench/ext/devices.h>
#include <gpubench/ext/draft/span.h>
#include <gpubench/ext/graph.h>
#include <gpubench/ext/metric.h>
#include <gpubench/ext/note.h>
#include <gpubench/ext/option.h>
#include <gpubench/ext/scratch.h>

#include "model/model.h"
#include "model/services/note.h"
#include "plugin/registry.h"

/* The table that each plugin gets a copy of. */
extern const gb_host services_host;

/* gb.device/1 and gb.devices/1: facts, streams and memory of a case's devices. */

extern const gb_device_ext services_device;
extern const gb_devices_ext services_devices;

/* gb.graph/1: the graph of its work that a variant describes in `prepare`. */

extern const gb_graph_ext services_graph;

/* A function that takes each graph that a variant has described; the worker sets it once. */
extern void (*services_graph_sink)(uint32_t variant, const struct graph_desc *graph);

/* Call it after every `prepare`: passes the graph to services_graph_sink() if `prepare` returned GB_OK, and frees
 * it. */
void services_graph_end(gb_case *c, uint32_t variant, bool prepared);

/* Services that a bench can do without: gb.note/1, gb.option/2, gb.scratch/1, gb.metric/1, and the draft gb.span/1. */

extern const gb_note_ext services_note;
extern const gb_option_ext services_option;
extern const gb_scratch_ext services_scratch;
extern const gb_metric_ext services_metric;
extern const gb_span_ext services_span;

/* A function that takes the log lines of plugins; the worker sets it once. */
extern void (*services_log)(const char *plugin, int32_t level, const char *message);

/* A function that takes the notes of a variant; the worker sets it once. */
extern void (*services_note_sink)(uint32_t variant, const struct note_list *notes);

/* Call it after every `prepare`, `refresh` and `release`: passes the notes to services_note_sink() if the callback
 * ended well, and frees them. */
void services_note_end(gb_case *c, uint32_t variant, bool good);
