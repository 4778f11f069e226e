/* The stations (steps) of an examination, in their order. Each reports findings. They return 0 to continue, 1 if the
 * examination is over, and -1 if nothing more may run in the process. */
#pragma once

#include "exam/state.h"

/* exam/declared.c: station_work() checks the numbers of operations and bytes that the bench states. station_declared()
 * calls `setup` for a second case: if the bench wrongly keeps data in static variables, this call overwrites them, and
 * later stations notice the wrong data. */
int station_work(struct sitting *s, struct err *err);
int station_declared(struct sitting *s, struct err *err);
/* exam/results.c: checks the expected values that `reference` computes, and whether they depend on the inputs. */
int station_reference(struct sitting *s, struct err *err);
int station_expect(struct sitting *s, struct err *err); /* computes expected values for the following stations */
/* exam/results.c: station_first() runs the variant once and verifies its outputs; station_again() does so several times
 * after other stations; station_fresh() does so on new inputs. */
int station_first(struct sitting *s, struct err *err);
int station_again(struct sitting *s, struct err *err);
int station_fresh(struct sitting *s, struct err *err);
/* exam/device.c: rules that only apply to variants on a GPU. */
int station_device(struct sitting *s, struct err *err);
/* exam/results.c: checks that the bench's verification notices wrong outputs. */
int station_notices(struct sitting *s, struct err *err);
/* exam/beside.c: station_beside() sets up a second case while the first exists; station_no_memory() prepares the
 * variant while the host gives it no memory. */
int station_beside(struct sitting *s, struct err *err);
int station_no_memory(struct sitting *s, struct err *err);

/* exam/rate.c: compares the stated operations with the time of the calls of `run` between rate_begin() and rate_end().
 */
void rate_begin(const struct exam *e);
void rate_end(const struct exam *e);
int station_rate(struct sitting *s, struct err *err);

/* exam/growth.c: sets up cases one after the other, and checks for resources that grow from case to case. The tensors
 * lie at fences, in turn with their end and with their beginning (exam/fences.h). */
int station_lifetimes(struct exam *e, double seconds, struct err *err);
/* Checks for resources that grow from call to call. */
int station_calls(struct sitting *s, struct err *err);
