/* The outside clock: compares the time that the parent measures with what a worker claims. The functions do no I/O and
 * use no global state. */
#pragma once

#include <math.h>
#include <stdbool.h>

/* Time of one iteration in a batch of consecutive ones, from the shortest of several batches. Batches that took less
 * than they claim do not count, because the parent heard late of their start. */
struct outside {
  double ns;         /* from the parent's receipt of the start to its receipt of the end; NaN: unknown */
  double claimed_ns; /* the same by the worker's clock */
  double slack_ns;   /* the longest time that messages about empty batches took */
  double excess;     /* share of a batch that was neither claimed nor slack; the smallest over all batches */
  bool queued;       /* nothing but the work lay between begin and end: the host did not have to keep up */
};

#define OUTSIDE_NONE ((struct outside){.ns = NAN, .claimed_ns = NAN, .slack_ns = NAN, .excess = NAN})

enum outside_word {
  OUTSIDE_UNKNOWN, /* there was no batch */
  OUTSIDE_LOOSE,   /* the slack is longer than the claimed time, so the comparison proves nothing */
  OUTSIDE_HOLDS,
  OUTSIDE_BROKEN /* more time passed than was claimed */
};

/* A hot device may be slower than one that had a cooldown, so samples may be shorter than a batch's iterations by this
 * share. */
#define OUTSIDE_SAMPLES_OPEN (1.0 / 7)

/* Returns how long the batches of a variant should be in total. If even the shortest batch takes longer per iteration
 * than samples did, the batches were disturbed, as on a busy machine, and more batches are needed. */
double outside_batches_ns(double shortest_ns, double usual_ns);

/* Judges the time that the batch claims, and the time that the samples claim by their median; NaN: no samples. Samples
 * with cold caches take at least as long as iterations in a batch. */
enum outside_word outside_judge(const struct outside *outside, double median_ns);
