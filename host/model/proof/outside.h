/* What a time of the parent's clock says of a worker's claims. Pure. */
#ifndef MODEL_PROOF_OUTSIDE_H
#define MODEL_PROOF_OUTSIDE_H

#include <math.h>
#include <stdbool.h>

/* Of one iteration in a batch of them back to back; of several batches the one that took least, of those that did not
 * take less than is claimed: of these the parent has heard late. */
struct outside {
  double ns; /* by the parent's clock, from when it heard of the begin to when it heard of the end; NaN: unknown */
  double claimed_ns; /* by the worker */
  double slack_ns;   /* what hearing of a batch takes, as seen at most of empty ones */
  double excess;     /* the share of a batch that was neither claimed nor slack, in the batch that has least of it */
  bool queued;       /* nothing but the work lay between: the host did not have to keep up */
};

#define OUTSIDE_NONE ((struct outside){.ns = NAN, .claimed_ns = NAN, .slack_ns = NAN, .excess = NAN})

enum outside_word {
  OUTSIDE_UNKNOWN, /* there was no batch */
  OUTSIDE_LOOSE,   /* hearing of it takes longer than what is claimed: it bounds nothing */
  OUTSIDE_HOLDS,
  OUTSIDE_BROKEN /* more time has passed than is claimed */
};

/* A device that is hot may be slower than one that has rested: of what samples claim so much is left open. */
#define OUTSIDE_SAMPLES_OPEN (1.0 / 7)

/* So long batches of a variant are to be in all: where the shortest takes longer than samples did they were disturbed,
 * as on a busy machine, and more may tell. */
double outside_batches_ns(double shortest_ns, double usual_ns);

/* Judges the batch's claim, and that of samples whose median is given, NaN: none. Samples with cold caches take at
 * least as long as those of a batch. */
enum outside_word outside_judge(const struct outside *outside, double median_ns);

#endif
