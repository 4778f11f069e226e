/* The host's services, which the plugin opens once, and helpers that the benches share. Spans are a draft service,
 * which a host may lack; the benches then run without spans. */
#ifndef DATA_PIPELINE_SERVICES_H
#define DATA_PIPELINE_SERVICES_H

#include <gpubench/draft.h>
#include <gpubench/sugar.h>
#include <stdbool.h>

extern gb_sdk gb;

gb_status services_open(const gb_host *host, gb_registry *registry);

bool on_cpu(gb_case *c);

/* Returns the value of the axis named `axis`, or, if it is 0, the number of processors in the affinity mask. */
int threads_of(gb_case *c, const char *axis);

/* Returns the path given with the option `file`, a file of records, or NULL if there is none and the bench must make a
 * file. */
const char *option_file(gb_case *c);

/* Declares a metric; the report shows its median. */
gb_status declare_metric(gb_case *c, const char *name, const char *unit, uint32_t better, const char *summary);

/* [in reference] Tells the host that segments of 'y' must equal those of 'x': the first, the last, and others at random
 * places. */
gb_status expect_copied(gb_case *c, int64_t floats);

bool spans_wanted(gb_case *c);
int64_t now_ns(void); /* returns the time on the clock that spans use */
void add_span(gb_case *c, const char *lane, int64_t chunk, int64_t begin_ns, int64_t end_ns);

#endif
