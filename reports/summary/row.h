/* Functions about a single row: how it ended, whether it has a time, which build and plugin it is from. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pairs.h"
#include "model/row_status.h"
#include "record/record.h"
#include "record/run_data.h"
#include "stats/floor.h"
#include "stats/gap.h"

enum row_status row_status_of(const struct record *record);
/* All statuses in the order of reports: good ones first, rows that were not tried last. */
extern const enum row_status row_statuses[ROW_STATUS_COUNT];

bool row_timed(const struct record *record);    /* may be NULL */
double row_intensity(const struct record *row); /* FLOP per byte, stated or from the declared work; NaN: not known */
bool row_cut(const struct record *record);      /* its case was interrupted */
bool row_left_out(const struct record *record); /* not run for lack of time, by the user's limit or the announced one */
/* Decodes the axes of its case, in their order. The caller frees them. */
void row_axes(const struct record *record, struct pairs *axes);
/* Returns true for a yardstick, which moves its case's bytes and computes nothing (GB_VARIANT_YARDSTICK). May be NULL.
 */
bool row_is_yardstick(const struct record *record);
/* Returns true for a timed row that is no yardstick: these are ranked. May be NULL. */
bool row_contends(const struct record *record);
/* Returns the reason why the row cannot have a verdict, whatever its file says: old files give verdicts after only
 * three rounds. */
enum gap row_gap(const struct record *record);
/* Returns the precision requested for it; 0: use all of the time; NaN: not known. Taken from its run if the row does
 * not tell. */
double row_asked(const struct record *record, const struct pairs *environment);
/* Returns true if half of the median's interval is no wider than that share of the median, whatever stopped the row. */
bool row_reached(const struct record *record, double asked);
struct floor_time row_floor(const struct record *record);
double row_alone(const struct record *record); /* the difference between row and baseline that a single process may
                                                  cause, as a logarithm */
/* Returns true if an empty launch takes a large enough part of its time for figures to be shown with and without it. */
bool row_floored(const struct record *record);
/* Writes its time less the launch overhead: "4.000 us +-4.2%", with `sign` "+-"; "not known"; or "" if the overhead
 * hardly matters. */
void row_left_text(const struct record *record, const char *sign, char *to, size_t size);
/* Writes its speedup less the launch overhead: "2.000x [1.910, 2.104]", or "not known". */
void row_left_ratio_text(const struct record *record, char *to, size_t size);
/* Returns the interval of the time that its rates are based on, and that time: the raw time, or less the launch
 * overhead if that counts. Rates of older files are always of raw times. */
struct interval row_working(const struct record *record, double *ns);
/* Returns its verdict, or the reason why there is none; "" if it is not compared. */
const char *row_verdict(const struct record *record);
/* Returns true if it was measured for its ceiling. */
bool row_is_calibration(const struct record *record);

/* Returns the plugin of a guest's row if neither the variant's name nor the bench's tells; otherwise NULL. The row may
 * be NULL. */
const char *row_guest(const struct record *record);
/* Returns true if it is compared with its twin in another build, or if it is that twin. */
bool row_is_twin(const struct record *record);

/* The figure by which throughput is compared within a bench. */
enum rate { RATE_NONE, RATE_TFLOPS, RATE_GB };
double row_rate(enum rate rate, const struct record *record); /* NaN: not known */
const char *row_rate_unit(enum rate rate);

/* The bottleneck of a row in words, by the ceilings that its run measured. Pure. */

/* Returns the sum of the bytes along all edges of a variant's graph. It saturates, because plugins state these
 * figures. */
uint64_t bound_traffic(const struct run_graph *graph);
/* Returns "memory", "compute", "neither: far from both roofs"; "" if not known. Uses the bytes that the variant's graph
 * states, otherwise the nominal ones of its case. */
const char *bound_words(const struct run_data *data, const struct record *row);
