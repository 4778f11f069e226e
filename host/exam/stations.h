/* The stations of an examination, in their order. Each reports findings. They return 0 to continue, 1 if the
 * examination is over, -1 if the process must not continue. */
#pragma once

#include "exam/state.h"

/* exam/declared.c: the stated work; and a second `setup`, after which static variables belong to another case. */
int station_work(struct sitting *s, struct err *err);
int station_declared(struct sitting *s, struct err *err);
/* exam/results.c: expected values, and whether they follow the inputs. */
int station_reference(struct sitting *s, struct err *err);
int station_expect(struct sitting *s, struct err *err); /* computes expected values for the following stations */
/* exam/results.c: a first run and its outputs; more runs after the other stations; a run on new inputs. */
int station_first(struct sitting *s, struct err *err);
int station_again(struct sitting *s, struct err *err);
int station_fresh(struct sitting *s, struct err *err);
/* exam/device.c: rules that only apply to variants on a GPU. */
int station_device(struct sitting *s, struct err *err);
/* exam/results.c: are wrong outputs noticed? */
int station_notices(struct sitting *s, struct err *err);
/* exam/beside.c: a second case at the same time; and a host without memory. */
int station_beside(struct sitting *s, struct err *err);
int station_no_memory(struct sitting *s, struct err *err);

/* exam/growth.c: more cases in sequence, and resources that grow meanwhile. */
int station_lifetimes(struct exam *e, double seconds, struct err *err);
/* Checks for resources that grow from call to call. */
int station_calls(struct sitting *s, struct err *err);
