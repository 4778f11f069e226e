/* The draft services: gb.note/1, gb.option/1, gb.scratch/1, gb.metric/1, gb.span/1. */
#ifndef CASE_SERVICES_DRAFT_H
#define CASE_SERVICES_DRAFT_H

#include <gpubench/ext/draft/metric.h>
#include <gpubench/ext/draft/note.h>
#include <gpubench/ext/draft/option.h>
#include <gpubench/ext/draft/scratch.h>
#include <gpubench/ext/draft/span.h>

#include "model/model.h"
#include "model/note.h"

extern const gb_note_ext services_note;
extern const gb_option_ext services_option;
extern const gb_scratch_ext services_scratch;
extern const gb_metric_ext services_metric;
extern const gb_span_ext services_span;

/* Where notes go; set once by the worker. */
extern void (*services_note_sink)(uint32_t variant, const struct note_list *notes);

/* After every `prepare`: hands over what it noted if it returned GB_OK, and forgets it. */
void services_note_end(gb_case *c, uint32_t variant, bool prepared);

#endif
