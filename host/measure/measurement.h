/* One case being measured: what measure/measure.c (the flow) and the files of its stations share. */
#ifndef MEASURE_MEASUREMENT_H
#define MEASURE_MEASUREMENT_H

#include "measure/contestant.h"
#include "measure/pace.h"
#include "measure/sink.h"

struct measurement {
  struct gb_case *c;
  const struct case_request *request;
  struct contestant *contestants;
  uint32_t count;
  const struct measure_sink *sink;
  struct case_report *report;
  struct contestant *running; /* whose callback may be at fault */
  bool ready;                 /* setup returned GB_OK: teardown is owed */
  enum row_status fate;       /* of all at once: ROW_OK, or what the bench has made of them; and why */
  char why[MSG_SIZE];
  struct pace pace;
  uint32_t aside;                           /* the rounds up to here are repeated */
  uint32_t replicas;                        /* iterations per sample, for all alike */
  int64_t started_ns, sampling_ns, over_ns; /* over: when the samples were found to be enough, or 0 */
  int64_t drawn_ns;                         /* when it was last drawn whether to look */
  int64_t waited_ns;                        /* for orders: the times above are later by as much */
  uint64_t secret, drawn;     /* key of the random numbers that no plugin is told, and how many were drawn */
  bool was_quiet;             /* the round before this one */
  double look_s, looked_s;    /* what looking at a variant's outputs costs, without `reference`, and has cost in all */
  double mend_s;              /* and to look at the inputs before */
  double trial_s;             /* what trials have cost, and slots that are for evidence alone */
  uint32_t trials;            /* so many */
  bool unexpected;            /* the inputs are new, and the reference has not been asked about them */
  double fill_s, reference_s; /* what filling the inputs costs, and the reference */
  bool rotates;               /* there are other contents for the inputs (measure/audit/sample_inputs.h) */
  double rotation_s;          /* what it costs to show them */
  double rotations_s;         /* and what it has cost */
  double references_s;        /* what the reference has cost in all */
};

/* From a case and those who take part in it to its end; what has gone wrong in between is not taken down. */
void measure_begin(struct measurement *m, struct gb_case *c, const struct case_request *request,
                   struct variant *const *variants, const struct measure_sink *sink, struct case_report *report);
void measure_take_down(struct measurement *m);
void measure_end(struct measurement *m);

struct contestant *measure_next(const struct measurement *m, uint32_t from); /* alive, or NULL */
uint32_t measure_slot_least(const struct measurement *m); /* the fewest samples that a slot of one of them has */
void measure_tell(const struct measurement *m, struct contestant *k); /* the parent, at once, when it is out */
bool measure_stopped(const struct measurement *m);
bool measure_late(const struct measurement *m); /* its time is over: only what rows cannot do without is still done */
bool measure_on_cpu(const struct measurement *m);
uint64_t measure_draw(struct measurement *m);        /* a random number that no plugin is told */
double measure_draw_share(struct measurement *m);    /* likewise, from 0 to 1 */
double measure_tick_ns(const struct measurement *m); /* the clock's step in a time of one iteration */
struct turn measure_turn(const struct measurement *m, uint32_t count, double *ns); /* as the case's mode has it */
/* Its turn: it is running until it has ended. -1: the device failed. */
int measure_take(struct measurement *m, struct contestant *k, struct turn *turn, struct err *err);
void measure_drop_all(struct measurement *m, enum row_status status, const char *what, const char *message);
/* What became of a callback of the bench's own; what is not OK ends the case for every variant, and is false. */
bool measure_bench_ok(struct measurement *m, gb_status status, const char *what);

#endif
