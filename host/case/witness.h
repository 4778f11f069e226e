/* A few elements of each output, as they are right behind the last iteration in the order of the device, before anybody
 * else reads them. What is written later, by a thread or on a stream that is not waited for, or by a handler of the
 * fault that reading raises, is written in time that no clock sees. */
#ifndef CASE_WITNESS_H
#define CASE_WITNESS_H

#include "case/case.h"

/* The name of an output that is no longer poisoned at its ends, read beside the stream; NULL: none, or not known. */
const char *early_write_output(struct gb_case *c, struct err *err);

/* What stands in the outputs before the iteration that is looked at. */
enum witness_ground {
  WITNESS_POISON, /* poison, everywhere */
  WITNESS_RIGHT,  /* results for the same inputs: a changed value that stays was not written */
  WITNESS_ANY     /* anything */
};

struct witness_finding {
  const char *output; /* that was not as it is now; NULL: none */
  const char *absent; /* NULL, or why its memory does not hold it: "is not there yet" */
  uint64_t element;
};

/* Makes room. Pageable memory has no witness where a stream is held back: it cannot be read in the stream's order.
 * False: there is no room. */
bool witness_open(struct gb_case *c);

/* Draws the places for the next slot. */
void witness_draw(struct gb_case *c, enum witness_ground ground);

/* Changes what stands at the places, unless that is poison: right before the last sample, so that nothing which the one
 * before it has left to a thread comes between. Ordered on the stream, as the next. */
int witness_plant(struct gb_case *c, struct err *err);

/* Right behind the last sample. `away`: outputs are where the variant has said that they lie, if it has. */
int witness_take(struct gb_case *c, bool away, struct err *err);

/* Whether the outputs' memory holds them by itself. After it the process is not to be trusted with a finding's output:
 * reading it may fault. */
void witness_look_at_memory(const struct gb_case *c, struct witness_finding *finding);

/* When all work is done. */
int witness_look(struct gb_case *c, struct witness_finding *finding, struct err *err);

/* Before the case's memory is freed. */
void witness_close(struct gb_case *c);

#endif
