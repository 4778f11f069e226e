/* What a row says by itself: how it ended, whether it has a time, of which build and plugin it is. Pure. */
#ifndef SUMMARY_ROW_H
#define SUMMARY_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pairs.h"
#include "model/row_status.h"
#include "record/record.h"
#include "record/run_data.h"
#include "stats/floor.h"
#include "stats/gap.h"

enum row_status row_status_of(const struct record *record);
/* All of them as reports list them: what is good first, what was not tried last. */
extern const enum row_status row_statuses[ROW_STATUS_COUNT];

bool row_timed(const struct record *record);    /* may be NULL */
double row_intensity(const struct record *row); /* FLOP a byte, stated or by what it declares; NaN: not known */
bool row_cut(const struct record *record);      /* its case was interrupted */
bool row_left_out(const struct record *record); /* for want of time, by the user's limit or what was announced */
/* The axes of its case, decoded, in their order; to be freed. */
void row_axes(const struct record *record, struct pairs *axes);
/* Moves the bytes of its case and computes nothing (GB_VARIANT_YARDSTICK). May be NULL. */
bool row_is_yardstick(const struct record *record);
/* Timed, and no yardstick: what is ranked. May be NULL. */
bool row_contends(const struct record *record);
/* What keeps words from it, whatever the file says: old ones have any words of three rounds. */
enum gap row_gap(const struct record *record);
/* The precision asked of it, 0: all of its time; where it does not say so itself, of its run. NaN: not known. */
double row_asked(const struct record *record, const struct pairs *environment);
/* Is half of its median's interval no wider than that share of the median, whatever stopped it? */
bool row_reached(const struct record *record, double asked);
struct floor_time row_floor(const struct record *record);
double row_alone(const struct record *record); /* what one process may make it and its baseline differ by, in ln */
/* Is so much of its time what an empty launch takes that figures are shown with it and without? */
bool row_floored(const struct record *record);
/* Its time less that: "4.000 us +-4.2%", `sign` being "+-", or "not known"; "" where that matters little. */
void row_left_text(const struct record *record, const char *sign, char *to, size_t size);
/* Its speedup less that: "2.000x [1.910, 2.104]", or "not known". */
void row_left_ratio_text(const struct record *record, char *to, size_t size);
/* What its rates are of: the raw time, or where it is floored what is left. Older files have rates of raw times. */
struct interval row_working(const struct record *record, double *ns);
/* Its verdict, or why there is none; "" where it is not compared. */
const char *row_verdict(const struct record *record);
/* Was it measured for its ceiling? */
bool row_is_calibration(const struct record *record);

/* The plugin of a guest's row where neither the variant's name nor its bench's says so; NULL: its own. May be NULL. */
const char *row_guest(const struct record *record);
/* Is it compared with the same variant of another build, or is it that one? */
bool row_is_twin(const struct record *record);

/* The figure that compares throughput within a bench. */
enum rate { RATE_NONE, RATE_TFLOPS, RATE_GB };
double row_rate(enum rate rate, const struct record *record); /* NaN: not known */
const char *row_rate_unit(enum rate rate);

/* What limits a row, in words, by the ceilings that its run measured. Pure. */

/* All bytes along the arrows of what a variant launches. Sums of what plugins state stay at the largest number. */
uint64_t bound_traffic(const struct run_graph *graph);
/* "memory", "compute", "neither: far from both roofs"; "" where it is not known. Of a variant that states the bytes it
 * moves it is by these, else by the nominal ones of its case. */
const char *bound_words(const struct run_data *data, const struct record *row);

#endif
