/* Finds late writes: reads a few elements of each output right after the last iteration, in device order, before
 * anything else reads them, and again when all work is done. Otherwise a variant's thread, a stream that is not waited
 * for, or a fault handler that runs when the outputs are read could write outputs after the clock has stopped. */
#pragma once

#include "case/case.h"

/* Returns an output whose first or last bytes are not poison any more (poison marks unwritten outputs). The bytes are
 * read without using the stream. NULL: there is no such output, or it is not known. */
const char *early_write_output(struct gb_case *c, struct err *err);

/* The contents of the outputs before the checked iteration. */
enum witness_ground {
  WITNESS_POISON, /* all elements are poison (a pattern that marks unwritten outputs) */
  /* correct results for the same inputs, so an element that was changed and does not get its value back was not
   * written */
  WITNESS_RIGHT,
  WITNESS_ANY /* results for other inputs, or contents that are not known */
};

struct witness_finding {
  const char *output; /* the output that was written late; NULL: none */
  /* why the output's memory does not hold its contents, such as "is not there yet"; NULL: it does */
  const char *absent;
  uint64_t element;
};

/* Allocates the witnesses of the outputs (the memory for the elements that are read). If the device can hold back the
 * work of its stream, outputs in pageable memory get no witness, because such memory cannot be read in the order of the
 * stream's work. False: not enough memory. */
bool witness_open(struct gb_case *c);

/* Chooses at random the elements that are checked in the next slot (series of samples). `ground`: what the outputs hold
 * before its last sample. */
void witness_draw(struct gb_case *c, enum witness_ground ground);

/* Changes the chosen elements, unless the outputs hold poison (WITNESS_POISON). Call it right before the last sample,
 * so that work which the previous sample left to a thread does not overwrite them. The changes are enqueued on the
 * stream, as are the reads of witness_take(). */
int witness_plant(struct gb_case *c, struct err *err);

/* Reads the elements right after the last sample. `away`: the outputs are not in the tensors' memory but where the
 * variant says that they lie, if it says so. */
int witness_take(struct gb_case *c, bool away, struct err *err);

/* Finds an output whose memory does not hold its contents, for example because a fault handler fills it only when it is
 * read; `absent` gives the reason. The process must not read such an output afterwards: that may fault. */
void witness_look_at_memory(const struct gb_case *c, struct witness_finding *finding);

/* Called when all work is done: finds an element that was written after witness_take() had read it, or not at all. */
int witness_look(struct gb_case *c, struct witness_finding *finding, struct err *err);

/* Call it before the case's memory is freed. */
void witness_close(struct gb_case *c);
