/* Judges a variant's outputs: they must be written everywhere and equal the float64 expectations, and guards and inputs
 * must be unchanged. */
#pragma once

#include "case/case.h"
#include "case/compare.h"
#include "model/rule.h"

/* Computes checksums of the outputs with a new random key, so that a variant cannot make two changes that cancel in the
 * checksum. -1: the device failed. */
int seal_outputs(struct gb_case *c, struct err *err);

/* Sets `*broken` to an output whose contents have changed since seal_outputs(), or to NULL. -1: the device failed. */
int seal_check(struct gb_case *c, const char **broken, struct err *err);

/* The result of verifying the outputs of one run. */
struct verification {
  bool pass;
  double error, tolerance; /* error and tolerance of the output that uses the largest share of its tolerance */
  /* compared: number of elements that were compared; elements: number of elements of all outputs */
  uint64_t compared, elements;
  enum rule rule;         /* the rule of the ABI that the variant broke, if the outputs do not pass */
  char message[MSG_SIZE]; /* the reason, if the outputs do not pass */
};

/* Judges the outputs as they lie on the device: they must be written everywhere, a portion of their values must be
 * within tolerance, and guards and inputs must be unchanged. -1: the device failed. `plain`: how many elements of
 * integer outputs rightly equal the poison. `math`: the variant's math mode; NULL for a yardstick, whose values are not
 * compared. If the inputs are not the known ones (case_is_known()), inputs and values are not checked. */
int case_verify(struct gb_case *c, const char *math, const struct plain *plain, const struct portion *portion,
                struct verification *verification, struct err *err);

/* Counts the elements of integer outputs that equal one of the two poisons (patterns that mark unwritten outputs) after
 * a run before which the outputs held the other one. Call it after a run with each of the two. */
int case_note_plain(struct gb_case *c, struct plain *plain, struct err *err);
bool case_has_integers(const struct gb_case *c);

/* Returns true if the inputs hold the contents that the stored checksums and expected values belong to. */
bool case_is_known(const struct gb_case *c);

/* Returns true if the outputs follow from the inputs in one iteration; expectations hold only then. */
bool case_is_one_step(const struct gb_case *c);

/* Returns the arithmetic by whose tolerance outputs are judged, such as "fp32" or "bf16". That is `math`, except that
 * "native" means the arithmetic of the first input's storage type. */
const char *case_math(const struct gb_case *c, const char *math);
