/* The outside clock: compares the time that the parent measures with what a worker claims. The functions do no I/O and
 * use no global state. */
#pragma once

#include <math.h>
#include <stdbool.h>

/* The time of one iteration in a batch of consecutive ones, taken from the shortest of several batches. Batches for
 * which the parent measured less than the worker claims do not count, because the parent learned too late that they had
 * begun. */
struct outside {
  double ns;         /* from the parent's receipt of the start to its receipt of the end; NaN: unknown */
  double claimed_ns; /* the time of one iteration by the worker's clock */
  /* the longest time that the parent measured for an empty batch, divided by the number of iterations in this batch */
  double slack_ns;
  /* share of the parent's time of a batch that is explained neither by the claimed time nor by slack_ns; the smallest
   * such share of all batches */
  double excess;
  /* iterations did not wait for the host, so the time from start to end is that of the work alone */
  bool queued;
};

#define OUTSIDE_NONE ((struct outside){.ns = NAN, .claimed_ns = NAN, .slack_ns = NAN, .excess = NAN})

enum outside_word {
  OUTSIDE_UNKNOWN, /* no batch was measured */
  OUTSIDE_LOOSE,   /* slack_ns is longer than the claimed time, so the comparison proves nothing */
  OUTSIDE_HOLDS,
  OUTSIDE_BROKEN /* the parent measured more time than was claimed */
};

/* A hot device may be slower than one that had a cooldown, so samples may be shorter than a batch's iterations by this
 * share. */
#define OUTSIDE_SAMPLES_OPEN (1.0 / 7)

/* Returns how long the batches of a variant should be in total. If even the shortest batch takes longer per iteration
 * than samples did, the batches were disturbed, as on a busy machine, and more batches are needed. */
double outside_batches_ns(double shortest_ns, double usual_ns);

/* Compares what the worker claims with the parent's time of the batch: its own time of the batch, and the median of the
 * samples (NaN: there are none). Samples with cold caches take at least as long as iterations in a batch. */
enum outside_word outside_judge(const struct outside *outside, double median_ns);
