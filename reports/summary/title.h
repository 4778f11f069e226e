/* What a bench is called beside others of its name. Pure. */
#ifndef SUMMARY_TITLE_H
#define SUMMARY_TITLE_H

#include "record/run_data.h"
#include "summary/bench.h"

/* "attention/forward, cold, NVIDIA H200": the mode only where the bench was timed in several, and where it ran. */
void title_bench(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size);
/* Where the bench ran, of that what tells it from others of its name: "NVIDIA H200, 20261121T071503Z-nightly"; may be
 * empty. */
void title_where(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size);
/* A device as it is called among several: its model, with its UUID where there are two of them. */
void title_device(const struct run_summary *summary, const char *name, const char *devices, char *to, size_t size);

#endif
