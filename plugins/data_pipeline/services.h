/* The host's services, fetched once in `open`, and what every bench here asks of them. Spans are a draft: where the
 * host has none, what they would have shown is missing, and nothing else. */
#ifndef DATA_PIPELINE_SERVICES_H
#define DATA_PIPELINE_SERVICES_H

#include <gpubench/draft.h>
#include <gpubench/sugar.h>
#include <stdbool.h>

extern gb_sdk gb;

gb_status services_open(const gb_host *host, gb_registry *registry);

bool on_cpu(gb_case *c);

/* The axis `threads`, or the processors of the affinity mask where it is 0. */
int threads_of(gb_case *c, const char *axis);

/* The option `file`: a file of records, or NULL: the bench makes one. */
const char *option_file(gb_case *c);

/* One of which the median is shown. */
gb_status declare_metric(gb_case *c, const char *name, const char *unit, uint32_t better, const char *summary);

/* For `reference`: states segments of 'y' as those of 'x', the first, the last, and others at drawn places. */
gb_status expect_copied(gb_case *c, int64_t floats);

bool spans_wanted(gb_case *c);
int64_t now_ns(void); /* on the clock of spans */
void add_span(gb_case *c, const char *lane, int64_t chunk, int64_t begin_ns, int64_t end_ns);

#endif
