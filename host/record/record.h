/* One row of results.csv. The list below is the schema: the struct, the CSV header, the report's columns and the
 * documentation are derived from it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/proof/unproven.h"
#include "stats/launch_overhead.h"

#define RECORD_SCHEMA 3

/* Lists the columns as X(kind, name, unit, description). Kinds: TEXT (char *; NULL if not known), REAL (double; NaN if
 * not known), WHOLE (int64_t; -1 if not known). */
#define RECORD_FIELDS(X)                                                                                               \
  X(WHOLE, schema, "", "version of this schema")                                                                       \
  X(TEXT, run_id, "", "the run directory's name")                                                                      \
  X(TEXT, timestamp_utc, "", "when the row was written, ISO 8601")                                                     \
  X(TEXT, host, "", "host name")                                                                                       \
  X(TEXT, devices, "", "UUIDs of the devices, or their names where they have none")                                    \
  X(TEXT, device_name, "", "model of the device")                                                                      \
  X(TEXT, driver, "", "driver version")                                                                                \
  X(TEXT, plugin, "", "plugin that owns the bench")                                                                    \
  X(TEXT, provider, "", "plugin that gave the variant")                                                                \
  X(TEXT, plugin_version, "", "version of the provider")                                                               \
  X(TEXT, plugin_sha256, "", "SHA-256 of the provider's file and of what it brings along")                             \
  X(TEXT, bench, "", "plugin/bench")                                                                                   \
  X(TEXT, contract, "", "contract id of the bench")                                                                    \
  X(TEXT, case_key, "", "bench and every axis value: the stable name of the case")                                     \
  X(TEXT, preset, "", "preset the point came from")                                                                    \
  X(TEXT, axes, "", "k=v;k=v, percent-encoded")                                                                        \
  X(TEXT, variant, "", "implementation, as shown in tables")                                                           \
  X(TEXT, backend, "", "cuda or cpu")                                                                                  \
  X(TEXT, math, "", "precision of the arithmetic")                                                                     \
  X(TEXT, mode, "", "how it was timed: cold, hot, graph, latency, latency-graph, wall; +burst, +sustained")            \
  X(TEXT, status, "", "ok, wrong, skipped, crashed, timeout, error, not_run")                                          \
  X(WHOLE, samples, "", "timed iterations")                                                                            \
  X(WHOLE, rounds, "", "interleaved rounds")                                                                           \
  X(WHOLE, restarts, "", "processes measured")                                                                         \
  X(TEXT, epochs, "", "which processes of the case, as in samples.csv: 1;2")                                           \
  X(REAL, restart_sd, "", "std dev of the restarts' medians / their mean, from 2 restarts on")                         \
  X(TEXT, stop_reason, "", "precision, case_time, budget, max_time, verify_only, interrupted")                         \
  X(REAL, precision, "", "requested: half of the median's 95% interval / the median")                                  \
  X(REAL, median_ns, "ns",                                                                                             \
    "median_raw_ns - launch_overhead_ns: cost over an empty launch; empty: not known to within 50%")                   \
  X(REAL, median_lo_ns, "ns", "ci95_lo_ns - launch_overhead_ns - launch_overhead_unc_ns")                              \
  X(REAL, median_hi_ns, "ns", "ci95_hi_ns - launch_overhead_ns + launch_overhead_unc_ns")                              \
  X(REAL, launch_overhead_ns, "ns", "an empty launch in this mode on this device: the mean over the row's processes")  \
  X(REAL, launch_overhead_unc_ns, "ns", "its uncertainty: half the range over other kinds of launches")                \
  X(REAL, median_raw_ns, "ns", "median of the samples as the clock gave them; so is all that follows")                 \
  X(REAL, mean_ns, "ns", "arithmetic mean")                                                                            \
  X(REAL, stddev_ns, "ns", "std dev of the samples")                                                                   \
  X(REAL, mad_ns, "ns", "median absolute deviation from the median, not scaled")                                       \
  X(REAL, cv, "", "stddev_ns / mean_ns")                                                                               \
  X(REAL, skew, "", "third standardized moment of the samples")                                                        \
  X(REAL, n_eff, "", "rounds, discounted for autocorrelation")                                                         \
  X(REAL, min_ns, "ns", "smallest sample")                                                                             \
  X(REAL, p05_ns, "ns", "5th percentile, interpolated (type 7)")                                                       \
  X(REAL, p25_ns, "ns", "25th percentile")                                                                             \
  X(REAL, p75_ns, "ns", "75th percentile")                                                                             \
  X(REAL, p95_ns, "ns", "95th percentile")                                                                             \
  X(REAL, p99_ns, "ns", "99th percentile, from 368 samples on")                                                        \
  X(REAL, p999_ns, "ns", "99.9th percentile, from 3688 samples on")                                                    \
  X(REAL, max_ns, "ns", "largest sample")                                                                              \
  X(REAL, p95_lo_ns, "ns", "95% interval of p95_ns, from 72 samples on")                                               \
  X(REAL, p95_hi_ns, "ns", "upper end")                                                                                \
  X(REAL, p99_lo_ns, "ns", "of p99_ns")                                                                                \
  X(REAL, p99_hi_ns, "ns", "upper end")                                                                                \
  X(REAL, p999_lo_ns, "ns", "of p999_ns")                                                                              \
  X(REAL, p999_hi_ns, "ns", "upper end")                                                                               \
  X(REAL, ci95_lo_ns, "ns", "lower end of the median's 95% interval, this run's conditions")                           \
  X(REAL, ci95_hi_ns, "ns", "upper end")                                                                               \
  X(REAL, tick_ns, "ns", "step of a sample: the clock's, divided by the iterations of a batch")                        \
  X(WHOLE, outliers, "", "samples outside Tukey's inner fences (1.5 IQR); kept")                                       \
  X(WHOLE, outliers_far, "", "of them outside the outer fences (3 IQR)")                                               \
  X(REAL, drift, "", "relative change of the time from the first to the last sample, by Theil and Sen's slope")        \
  X(REAL, cooldown, "", "pause before each slot / the work before it; keeps the clock up near the power limit")        \
  X(WHOLE, discarded_samples, "", "samples timed after a shorter cooldown, and repeated; they do not count")           \
  X(WHOLE, kernels, "", "kernels in one run, counted by capturing it")                                                 \
  X(WHOLE, flops, "", "nominal floating-point operations of one iteration")                                            \
  X(WHOLE, bytes, "B", "nominal bytes read and written by one iteration")                                              \
  X(WHOLE, items, "", "nominal items of one iteration")                                                                \
  X(REAL, tflops, "TFLOP/s", "flops / median_raw_ns; / median_ns where launch_overhead_ns is above 5% of that")        \
  X(REAL, gb_per_s, "GB/s", "bytes / that time, decimal")                                                              \
  X(REAL, ceiling_share, "", "rate / min(math ceiling, intensity x copy ceiling), with the ceilings of run.ini")       \
  X(REAL, above_ceiling, "", "rate / what the device can do, where that is surely above 1: then no speedup")           \
  X(REAL, intensity, "FLOP/B", "flops / bytes")                                                                        \
  X(TEXT, bound, "", "memory, compute or latency: what limits it by the measured ceilings")                            \
  X(WHOLE, yardstick, "", "1: moves the case's bytes and computes nothing; neither compared nor ranked")               \
  X(TEXT, baseline, "", "variant that speedups divide by")                                                             \
  X(REAL, speedup, "", "baseline's time / this time, trimmed means paired by round; above 1 is faster")                \
  X(REAL, speedup_lo, "", "lower end of its 95% interval")                                                             \
  X(REAL, speedup_hi, "", "upper end")                                                                                 \
  X(REAL, speedup_lo99, "", "lower end of its 99% interval: faster where that is above 1")                             \
  X(REAL, speedup_hi99, "", "upper end: slower where that is below 1")                                                 \
  X(REAL, speedup_p, "", "p-value of no difference, two-sided; of one process: of at most 2%, or 15% of the launches") \
  X(TEXT, verdict, "",                                                                                                 \
    "same, faster, slower, unproven, undecided (...), not checked alone, busy machine, too few rounds, too noisy")     \
  X(WHOLE, fastest, "", "1: verdicts call it faster than every other of the case; 0: not; empty: alone")               \
  X(REAL, speedup_corrected, "", "the same of times less the launch overhead; empty: one is not known to within 50%")  \
  X(REAL, speedup_corrected_lo, "",                                                                                    \
    "lower end of its 95% interval, for any launch overhead within launch_overhead_unc_ns")                            \
  X(REAL, speedup_corrected_hi, "", "upper end")                                                                       \
  X(REAL, speedup_corrected_lo99, "", "of its 99% interval, which the verdict goes by")                                \
  X(REAL, speedup_corrected_hi99, "", "upper end")                                                                     \
  X(REAL, speedup_alone, "", "the same of both apart, each in a process with the bench's owner: mean over the pairs")  \
  X(WHOLE, alone_pairs, "", "so many pairs of such looks; empty: its word is not between two providers")               \
  X(REAL, verify_error, "", "largest norm-relative error against float64 over all passes")                             \
  X(REAL, verify_tolerance, "", "what was allowed")                                                                    \
  X(WHOLE, verify_elements, "", "output elements compared with the reference; the fewest over all checks")             \
  X(REAL, verify_share, "", "these / all elements of the outputs")                                                     \
  X(WHOLE, few_verified, "", "1: none, or fewer than 1000 and not all, and the bench has no verify for the rest")      \
  X(WHOLE, verified_slots, "", "timed slots whose outputs were judged")                                                \
  X(REAL, reuse_limit, "", "share of the time that reusing results could save unnoticed; empty: any")                  \
  X(REAL, fresh_ns, "ns", "median of calls whose inputs were new to the variant")                                      \
  X(REAL, fresh_unc_ns, "ns", "standard uncertainty of what it is above the median")                                   \
  X(REAL, outside_ns, "ns", "an iteration in a batch, by the clock of the process that runs no plugin; the shortest")  \
  X(REAL, outside_slack_ns, "ns", "of it, what hearing of a batch took: claims are held against the rest")             \
  X(WHOLE, derived, "", "1: its untimed prepare reads the inputs")                                                     \
  X(REAL, untimed_ns, "ns",                                                                                            \
    "at most, of what derives from inputs, delivers outputs or works ahead of calls, an iteration's part; empty: "     \
    "none")                                                                                                            \
  X(TEXT, unverified_work, "", "what of it no comparison with the reference sees; empty: nothing of that kind")        \
  X(TEXT, unproven, "", "why its time does not prove that it is faster, such as untimed;few; empty: nothing known")    \
  X(WHOLE, extra_mem_bytes, "B", "workspace the variant took from the host")                                           \
  X(WHOLE, peak_mem_bytes, "B", "tensors of the case and the variant's workspace together")                            \
  X(REAL, leak_bytes_per_call, "B", "growth of device and process memory over the calls, by its slope")                \
  X(REAL, energy_j, "J", "energy per iteration: mean power under steady load x time per iteration there")              \
  X(REAL, energy_net_j, "J", "the same less what the device draws idle")                                               \
  X(REAL, energy_unc, "", "half the range of energy_j / energy_j, by when the counter moved")                          \
  X(REAL, energy_power_w, "W", "mean power under that load")                                                           \
  X(REAL, idle_w, "W", "idle power, as last measured before it")                                                       \
  X(REAL, energy_disagreement, "", "mean of power readings / power by the counter - 1")                                \
  X(REAL, tflop_per_j, "TFLOP/J", "flops / energy_j; the same as TFLOP/s per W")                                       \
  X(REAL, gb_per_j, "GB/J", "bytes / energy_j, decimal")                                                               \
  X(REAL, j_per_item, "J", "energy_j / items")                                                                         \
  X(TEXT, energy_method, "", "counter, length of its window, kind of load; unavailable: why")                          \
  X(TEXT, energy_fault, "", "why the energy cannot be trusted; empty: no known reason")                                \
  X(REAL, setup_s, "s", "time spent setting the case up")                                                              \
  X(REAL, sampling_s, "s", "time spent warming up and sampling all variants of the case")                              \
  X(REAL, verify_s, "s", "time spent verifying the case")                                                              \
  X(REAL, prepare_s, "s", "prepare and the first call of run, in the first process that measured it: with compiling")  \
  X(REAL, prepare_warm_s, "s", "the same in later processes, where caches of compilers are warm: the least of them")   \
  X(REAL, sm_clock_mhz, "MHz", "median over the slots of the clock in them")                                           \
  X(REAL, temperature_c, "C", "highest seen in the case")                                                              \
  X(REAL, power_w, "W", "highest seen in the case")                                                                    \
  X(REAL, throttled_share, "", "share of rounds in which the device reported throttling")                              \
  X(TEXT, conditions, "", "what was wrong with the machine during the case; empty: nothing")                           \
  X(WHOLE, contended, "", "1: other processes used the device, or the CPUs whose clock times it")                      \
  X(WHOLE, seed, "", "seed of the data")                                                                               \
  X(WHOLE, quick, "", "1: --quick, a quick look at 5% precision")                                                      \
  X(WHOLE, isolated, "", "processes, one per plugin, that took the slots in turn (--isolate); 0: one for all")         \
  X(TEXT, notes, "", "what the variant says about how it works: k=v;k=v, percent-encoded")                             \
  X(TEXT, message, "", "why it is not ok, or a note")

#define RECORD_MEMBER_TEXT char *
#define RECORD_MEMBER_REAL double
#define RECORD_MEMBER_WHOLE int64_t
#define RECORD_MEMBER(kind, name, unit, doc) RECORD_MEMBER_##kind name;

struct record {
  RECORD_FIELDS(RECORD_MEMBER)
};

enum record_kind { RECORD_TEXT, RECORD_REAL, RECORD_WHOLE };

struct record_field {
  enum record_kind kind;
  const char *name, *unit, *doc;
  size_t offset;
};

extern const struct record_field record_fields[];
extern const size_t record_field_count;
/* Returns the field with this name, or NULL. */
const struct record_field *record_field(const char *name);

/* Sets all fields to "not known". */
void record_init(struct record *record);
void record_free(struct record *record);

/* Sets a text field: frees the old value and copies the new one. */
void record_set(char **field, const char *text);

/* Returns true if the samples of process `epoch` count for the row: if that process is in the row's list, or if the row
 * has no list of processes. */
bool record_has_epoch(const struct record *record, uint32_t epoch);

/* Returns the text of the field as it is in results.csv; "" if it is not known. `buffer` holds the text of a number. */
const char *record_text(const struct record *record, const struct record_field *field, char *buffer, size_t size);

/* Sets the field from a text in the form that record_text() returns. Returns 1, or 0 if the text is not a value of the
 * field's kind. */
int record_parse(struct record *record, const struct record_field *field, const char *text);

/* Returns the label of a build in a variant's name: "@old" for "plain@old" (from the last '@'); "" if there is none. */
const char *record_label_of(const char *variant);
/* Returns the label of the build that the row's variant comes from; "" if the text after the '@' is the name of a
 * plugin instead. */
const char *record_label(const struct record *record);

/* Returns true if the verdicts confirm that `best`, which has the shortest time, is the fastest row of its case. The
 * verdict of `best` against its baseline must be "faster", and the verdict of every row that is compared with `best`
 * must be "slower". For each other row, the verdict that `best` is faster than that row must have no reason that
 * removes it (see record_word_taken()). `rows` are the rows of the case and may contain NULL. Rows without times are
 * skipped, and so are yardsticks (rows for comparison only, such as a plain copy). */
bool record_star_agrees(const struct record *const *rows, size_t count, const struct record *best);
bool record_has_verdict(const struct record *row, enum verdict word);
struct launch_overhead record_overhead(const struct record *row);

/* Adds a sentence to the message of the row, after what it says already. */
void record_add_message(struct record *row, const char *text);

/* Adds reasons to the column `unproven` of the row. The column has the reasons why the time of the row does not prove
 * that it is faster, no matter which row it is compared with. */
void record_add_unproven(struct record *row, uint32_t reasons);

/* Returns the reasons why `row` does not prove that it is faster than `than`. These are the reasons in its column
 * `unproven` that concern it alone, and those that follow from comparing the two rows:
 * - it computes with fewer bits than `than`;
 * - its error is so much larger that lower accuracy may explain the shorter time;
 * - it does much more untimed work (work in callbacks outside the measured time);
 * - on a busy machine, the parent's own clock leaves its time in doubt;
 * - it reuses results of earlier calls, which explains the difference. Between rows of two plugins, it is enough that
 *   reuse could explain it. */
uint32_t record_unproven(const struct record *row, const struct record *than);

/* Returns true if the variants of the rows come from two plugins, or from two builds of one plugin. */
bool record_is_between(const struct record *row, const struct record *other);

/* Returns true if the row has untimed callbacks (outside the measured time), and their time has no known limit. It then
 * has the reason UNPROVEN_UNTIMED whatever row it is compared with. */
bool record_is_unbounded(const struct record *row);

/* Returns true if the untimed callbacks of a row (outside the measured time) take long enough to matter for a verdict
 * (0.5% of its time), or an unknown time. */
bool record_untimed_counts(const struct record *row);

/* Returns the reasons, of `row` and of `than`, because of which the verdict `word` about `row` compared with `than`
 * must not be given; 0: the verdict holds. UNPROVEN_ALONE (a failure when measured alone) removes any verdict between
 * rows of two plugins, and none between rows of one. */
uint32_t record_word_taken(enum verdict word, const struct record *row, const struct record *than);
