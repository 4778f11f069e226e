/* Finds late writes: reads a few elements of each output right after the last iteration, in device order, before
 * anything else reads them, and again when all work is done. A thread, a stream that is not waited for, or a fault
 * handler that the reading triggers could otherwise write outputs in time that no clock measures. */
#pragma once

#include "case/case.h"

/* Returns an output that is not poisoned any more at its ends, read without the stream; NULL: none, or not known. */
const char *early_write_output(struct gb_case *c, struct err *err);

/* The contents of the outputs before the checked iteration. */
enum witness_ground {
  WITNESS_POISON, /* poison, everywhere */
  WITNESS_RIGHT,  /* correct results for the same inputs: a planted value that stays was not overwritten */
  WITNESS_ANY     /* anything */
};

struct witness_finding {
  const char *output; /* that was written late; NULL: none */
  const char *absent; /* NULL, or why its memory does not hold it: "is not there yet" */
  uint64_t element;
};

/* Allocates the witnesses. Pageable memory gets none if the device has a stream that can be held back: it cannot be
 * read in stream order. False: not enough memory. */
bool witness_open(struct gb_case *c);

/* Draws the elements for the next slot. */
void witness_draw(struct gb_case *c, enum witness_ground ground);

/* Changes the drawn elements, unless the outputs are poisoned. Call it right before the last sample, so that nothing
 * that the sample before left to a thread comes between. Ordered on the stream, as is witness_take(). */
int witness_plant(struct gb_case *c, struct err *err);

/* Reads the elements right after the last sample. `away`: the outputs are where the variant says that they lie, if it
 * says so. */
int witness_take(struct gb_case *c, bool away, struct err *err);

/* Finds an output whose memory does not hold its contents itself; `absent` gives the reason. The process must not read
 * such an output afterwards: that may fault. */
void witness_look_at_memory(const struct gb_case *c, struct witness_finding *finding);

/* Compares the elements with their former values, when all work is done. */
int witness_look(struct gb_case *c, struct witness_finding *finding, struct err *err);

/* Call it before the case's memory is freed. */
void witness_close(struct gb_case *c);
