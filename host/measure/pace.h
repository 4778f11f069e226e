/* Rest between slots, so that what is timed has the clock that a rested device gives, and not the one that its power
 * limit leaves to work without a pause. Only devices with such a limit need any. */
#ifndef MEASURE_PACE_H
#define MEASURE_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
  bool on;
  double limit_w;    /* NaN: not known */
  double rest;       /* so many times as long as what ran before; 0: none */
  double most_w;     /* of all readings of its own work */
  int64_t begun_ns;  /* when that began */
  double worked_s;   /* since the last rest */
  int64_t rested_ns; /* when that was over */
};

/* `rest`: that of another process for the same, in the end. */
void pace_begin(struct pace *pace, bool on, double limit_w, double rest);

/* Before a slot: for as long as what came before it asks for, less the time that the device had nothing to do since.
 * Where it `may`, it rests from now on when what it drew asks for that, and says so: what was timed before is to be
 * repeated. */
bool pace_rest(struct pace *pace, bool may);

/* What work of so long takes together with its rest. */
double pace_rested_s(double work_s);

/* It was at work for so long, and drew so much by the latest reading; NaN: not known. */
void pace_worked(struct pace *pace, int64_t ns, double power_w);

#endif
