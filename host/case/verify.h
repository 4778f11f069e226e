/* Judging a variant's outputs: written everywhere, guards and inputs untouched, equal to the float64 expectations. */
#ifndef CASE_VERIFY_H
#define CASE_VERIFY_H

#include "case/case.h"
#include "case/compare.h"
#include "model/rule.h"

/* Notes what the outputs hold, by a key that is drawn here: so nobody can change something else as well and have the
 * same checksum. -1: the device failed. */
int seal_outputs(struct gb_case *c, struct err *err);

/* `*broken`: an output that holds something else now, or NULL. -1: the device failed. */
int seal_check(struct gb_case *c, const char **broken, struct err *err);

/* What comparing the outputs of one verified run found. */
struct verification {
  bool pass;
  double error, tolerance;     /* of the output that is worst against its tolerance */
  uint64_t compared, elements; /* of the outputs' elements so many were compared with what was expected */
  enum rule rule;              /* that it breaks, where it does not pass */
  char message[MSG_SIZE];      /* why */
};

/* Judges the outputs as they lie on the device: written everywhere, guards and inputs untouched, expectations met, of a
 * portion of the values. -1: the device failed. `plain`: the variant's. `math` NULL: a yardstick's, where everything is
 * looked at but the values. On inputs that tensors_change() has brought neither they nor values are. */
int case_verify(struct gb_case *c, const char *math, const struct plain *plain, const struct portion *portion,
                struct verification *verification, struct err *err);

/* After a run with one of the poisons: how many elements of integer outputs it has made what the other one is. Known
 * when it has been noted for both. */
int case_note_plain(struct gb_case *c, struct plain *plain, struct err *err);
bool case_has_integers(const struct gb_case *c);

/* Are the inputs those that checksums and expectations belong to? */
bool case_is_known(const struct gb_case *c);

/* Does what lies in the outputs follow from the inputs in one iteration? Else expectations say nothing of it. */
bool case_is_one_step(const struct gb_case *c);

/* "native" by the first input's storage type, else the math itself. */
const char *case_math(const struct gb_case *c, const char *math);

#endif
