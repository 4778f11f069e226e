/* The outside clock: compares the time that the parent measures with what a worker claims. The functions do no I/O and
 * use no global state. */
#pragma once

#include <math.h>
#include <stdbool.h>

/* Times of one iteration in a batch of consecutive iterations. Several batches are measured, and these are the times of
 * the shortest one. A batch for which the parent measured less time than the worker claims is ignored, because the
 * parent noticed its start too late. */
struct outside {
  /* time by the parent's clock, from receiving the message of the batch's start to receiving that of its end; NaN:
   * unknown */
  double ns;
  double claimed_ns; /* the time of one iteration by the worker's clock */
  /* uncertainty of `ns`: the longest time that the parent measured for an empty batch, divided by the number of
   * iterations in the batch */
  double slack_ns;
  /* share of the parent's time of a batch that neither the claimed time nor slack_ns explains; the smallest share of
   * all batches */
  double excess;
  /* each iteration began without waiting for the host, so the batch's time is that of the work alone */
  bool queued;
};

#define OUTSIDE_NONE ((struct outside){.ns = NAN, .claimed_ns = NAN, .slack_ns = NAN, .excess = NAN})

enum outside_word {
  OUTSIDE_UNKNOWN, /* no batch was measured */
  OUTSIDE_LOOSE,   /* slack_ns is longer than the claimed time, so the comparison proves nothing */
  OUTSIDE_HOLDS,
  OUTSIDE_BROKEN /* the parent measured more time than was claimed */
};

/* Samples may be shorter than a batch's iterations by this share, because they often follow a pause (cooldown), and the
 * device slows down when it is hot. */
#define OUTSIDE_SAMPLES_OPEN (1.0 / 7)

/* Returns how many ns the batches of a variant should take in total. `shortest_ns`: time of an iteration in the
 * shortest batch so far; `usual_ns`: time by the samples. If `shortest_ns` is much longer than `usual_ns`, a busy
 * machine disturbed the batches, and more of them are needed. */
double outside_batches_ns(double shortest_ns, double usual_ns);

/* Compares the parent's time of a batch with two claims of the worker: its time of the same batch, and the median of
 * the samples (NaN: none). A median that is much shorter than an iteration of a queued batch is a contradiction: the
 * caches are at most as warm for a sample as for an iteration of the batch, so a sample takes at least as long. */
enum outside_word outside_judge(const struct outside *outside, double median_ns);
