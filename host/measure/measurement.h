/* One case being measured, and the files that carry it: measure.c (the flow) above measure/set_up.c, measure/verify.c,
 * sampling.c (slots and rounds), floor.c and measure/energy.c, which share measure/measurement.c. */
#ifndef MEASURE_MEASUREMENT_H
#define MEASURE_MEASUREMENT_H

#include "measure/contestant.h"
#include "measure/measure.h"

struct measurement {
  struct gb_case *c;
  const struct case_request *request;
  struct contestant *contestants;
  uint32_t count;
  const struct measure_sink *sink;
  struct case_report *report;
  struct contestant *running; /* whose callback may be at fault */
  bool ready;                 /* setup returned GB_OK: teardown is owed */
  bool shifted;               /* among the others some variant is slower or faster than alone */
  bool long_slots;            /* each slot heats up to its own level first */
  double power_w;             /* the most that was seen while probing; NaN: not known */
  double power_limit_w;       /* NaN: not known */
  uint32_t replicas;          /* iterations per sample, for all alike */
  uint32_t passes;            /* of verification so far */
  uint32_t fills;             /* of the inputs with new values after the first */
  uint32_t audits;            /* pairs of runs on new inputs and on the same again */
  int64_t started_ns;
};

struct contestant *measure_next(const struct measurement *m, uint32_t from); /* alive, or NULL */
void measure_tell(const struct measurement *m, struct contestant *k);        /* the parent, at once, when it is out */
bool measure_stopped(const struct measurement *m);
double measure_seconds_since(int64_t start_ns);
double measure_tick_ns(const struct measurement *m); /* the clock's step in a time of one iteration */
struct turn measure_turn(const struct measurement *m, uint32_t count, double *ns); /* as the case's mode has it */
void measure_drop_all(struct measurement *m, enum row_status status, const char *what, const char *message);
/* What became of a callback of the bench's own; what is not OK ends the case for every variant, and is false. */
bool measure_bench_ok(struct measurement *m, gb_status status, const char *what);

/* measure/set_up.c. -1: the device failed. */
int measure_set_up(struct measurement *m, struct err *err);
int measure_prepare(struct measurement *m, struct contestant *k,
                    struct err *err); /* it is dropped where it cannot be */

/* measure/verify.c: refills the inputs, computes the reference, and judges every variant on them; an audit of times
 * follows each pass but the first. -1: the device failed. */
int measure_verify(struct measurement *m, struct err *err);
/* As many more runs on new inputs as it takes to tell who remembers old ones, unless filling them takes too long and
 * nobody seems to. -1: the device failed. */
int measure_audit(struct measurement *m, struct err *err);
/* A processor learns the branches of short work by heart, and no variant is to blame for that: how short. */
double measure_learned_ns(const struct measurement *m);

/* sampling.c. All -1 only when the device failed. */
int sampling_warm_up(struct measurement *m, double least_s, struct err *err); /* sizes the slots by the way */
int sampling_probe(struct measurement *m, struct err *err);                   /* alone and in turns; nothing is kept */
int sampling_rounds(struct measurement *m, struct err *err);                  /* until precise, or out of time */
int sampling_timelines(struct measurement *m, struct err *err);               /* of those that want one; untimed */

/* floor.c: what a launch that does nothing takes in this mode. */
int floor_measure(struct measurement *m, struct err *err);

/* measure/energy.c: joules of each variant, after the samples; what cannot be had says why. -1: the device failed. */
int measure_energy(struct measurement *m, struct err *err);

#endif
