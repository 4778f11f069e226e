/* The functions of the host, which the plugin looks up once, and helpers that the benches share. Spans (times for a
 * timeline in the report) are an experimental function that a host may lack. The benches then run without spans. */
#ifndef DATA_PIPELINE_SERVICES_H
#define DATA_PIPELINE_SERVICES_H

#include <gpubench/draft.h>
#include <gpubench/sugar.h>
#include <stdbool.h>

extern gb_sdk gb;

gb_status services_open(const gb_host *host, gb_registry *registry);

bool on_cpu(gb_case *c);

/* Returns the value of the axis named `axis`. If it is 0, returns the number of processors on which this process may
 * run. */
int threads_of(gb_case *c, const char *axis);

/* Returns the path of a file of records that the user gave with the option `file`. Returns NULL if there is none, in
 * which case the bench must make a file. */
const char *option_file(gb_case *c);

/* Declares a metric, of which the report shows the median over all calls. */
gb_status declare_metric(gb_case *c, const char *name, const char *unit, uint32_t better, const char *summary);

/* Tells the host that segments of tensor 'y' must equal those of 'x': the first segment, the last, and others at random
 * places. To be called in the callback `reference`. */
gb_status expect_copied(gb_case *c, int64_t floats);

bool spans_wanted(gb_case *c);
int64_t now_ns(void); /* returns the time on the clock that add_span() expects */
void add_span(gb_case *c, const char *lane, int64_t chunk, int64_t begin_ns, int64_t end_ns);

#endif
