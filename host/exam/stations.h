/* The stations of an examination, in their order. Each says what it finds. 0: go on; 1: the examination is over; -1: so
 * is the process. */
#ifndef EXAM_STATIONS_H
#define EXAM_STATIONS_H

#include "exam/state.h"

/* exam/declared.c: the work; `setup` a second time, after which what statics hold is another case's. */
int station_work(struct sitting *s, struct err *err);
int station_declared(struct sitting *s, struct err *err);
/* exam/results.c: what is expected, of which inputs. */
int station_reference(struct sitting *s, struct err *err);
int station_expect(struct sitting *s, struct err *err); /* for the stations that follow */
/* exam/results.c: a first run and its outputs; others behind all that went before; one on new inputs. */
int station_first(struct sitting *s, struct err *err);
int station_again(struct sitting *s, struct err *err);
int station_fresh(struct sitting *s, struct err *err);
/* exam/device.c: what is asked of a variant on a GPU alone. */
int station_device(struct sitting *s, struct err *err);
/* exam/results.c: are wrong outputs noticed? */
int station_notices(struct sitting *s, struct err *err);
/* exam/beside.c: a second case at the same time; and no memory. */
int station_beside(struct sitting *s, struct err *err);
int station_no_memory(struct sitting *s, struct err *err);

/* exam/growth.c: more cases, one after the other, and what of the process grows meanwhile. */
int station_lifetimes(struct exam *e, double seconds, struct err *err);
/* And what grows from call to call. */
int station_calls(struct sitting *s, struct err *err);

#endif
