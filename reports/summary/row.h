/* Functions about a row (the result of one variant in one case): how it ended, whether it has a time, which build and
 * plugin it is from. No I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pairs.h"
#include "model/row_status.h"
#include "record/record.h"
#include "record/run_data.h"
#include "stats/gap.h"
#include "stats/launch_overhead.h"

enum row_status row_status_of(const struct record *record);
/* All statuses in the order in which reports list them: ok first, rows that were not tried last. */
extern const enum row_status row_statuses[ROW_STATUS_COUNT];

bool row_timed(const struct record *record);    /* true if the row has a time; `record` may be NULL */
double row_intensity(const struct record *row); /* returns the row's FLOP per byte: its column `intensity`, or its FLOP
                                                   divided by its bytes; NaN: not known */
bool row_cut(const struct record *record);      /* true if the row's case was interrupted */
bool row_left_out(const struct record *record); /* true if the row was not run because a time limit of the user,
                                                   or the time planned for the case, was used up */
/* Decodes the names and values of the row's axes (the parameters of its case), in their order. The caller frees
 * them. */
void row_axes(const struct record *record, struct pairs *axes);
/* Returns true for a yardstick: a row such as a plain copy, which moves its case's bytes and computes nothing
 * (GB_VARIANT_YARDSTICK). `record` may be NULL. */
bool row_is_yardstick(const struct record *record);
/* Returns true for a timed row that is no yardstick, so that it is ranked. `record` may be NULL. */
bool row_contends(const struct record *record);
/* Returns the reason why the row cannot have a verdict (such as "faster"); GAP_NONE if it can have one. Ignores the
 * verdict that the file records, because older versions gave verdicts after only three rounds. */
enum gap row_gap(const struct record *record);
/* Returns the precision that was requested for the row, or for the whole run if the row does not record it. 0: no
 * precision was requested, and sampling used all of its time. NaN: not known. */
double row_asked(const struct record *record, const struct pairs *environment);
/* Returns true if half the width of the median's interval is at most `asked` (a share of the median), whatever the
 * reason why sampling stopped. */
bool row_reached(const struct record *record, double asked);
double row_alone(const struct record *record); /* returns ln of the largest ratio that the row and its baseline may
                                                  have in one process even if they are equally fast */
/* Returns true if an empty launch takes so large a part of the row's time that figures are shown with and without the
 * launch overhead. */
bool row_launch_limited(const struct record *record);
/* Returns the row's time without the launch overhead (what an empty launch takes): "4.000 us +-4.2%", with `sign` in
 * place of "+-". Returns "not known" if the file lacks this time although the overhead is a large part of it; "" if the
 * overhead is a small part. */
struct number row_left(const struct record *record, const char *sign);
/* Returns the row's speedup without the launch overhead: "2.000x [1.910, 2.104]", or "not known". */
struct number row_left_ratio(const struct record *record);
/* Sets `*ns` to the time that the row's rates are based on, and returns its interval. This is the raw time, or the time
 * without the launch overhead if that is a large part of it. Rates in older files are always of raw times. */
struct interval row_working(const struct record *record, double *ns);
/* Returns the row's verdict, or the reason why there is none; "" if the row is not compared. */
const char *row_verdict(const struct record *record);
/* Returns true if the row is from the calibrate plugin, which measures the ceilings (highest rates) of the device. */
bool row_is_calibration(const struct record *record);

/* If the row's variant was added to the bench by another plugin, returns that plugin's name. Returns NULL for other
 * rows, if the variant's name ends with the plugin's name anyway ("flash@plugin"), and if `record` is NULL. */
const char *row_guest(const struct record *record);
/* Returns true if the row's baseline is the same variant in another build of the plugin, or if the row is itself the
 * baseline of such a comparison. */
bool row_is_twin(const struct record *record);

/* The figure by which throughput is compared within a bench. */
enum rate { RATE_NONE, RATE_TFLOPS, RATE_GB };
double row_rate(enum rate rate, const struct record *record); /* returns the row's rate of this kind; NaN: not known */
const char *row_rate_unit(enum rate rate);

/* ---- The resource that limits a row: memory or compute ---- */

/* Returns the sum of the bytes of all edges in a variant's dataflow graph. A sum that is too large becomes UINT64_MAX:
 * the figures are from plugins and may be any numbers. */
uint64_t bound_traffic(const struct run_graph *graph);
/* Returns what limits the row's speed, by the ceilings (highest rates) that its run measured: "memory", "compute",
 * "neither: far from both ceilings"; "" if not known. Uses the bytes of the variant's dataflow graph. Without a graph,
 * returns what the run found (column `bound`) with the bytes that the plugin declared for the case. */
const char *bound_words(const struct run_data *data, const struct record *row);
