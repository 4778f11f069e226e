/* gb.case/1: what a callback may ask about its case, and the work that the case declares. */
#ifndef GPUBENCH_EXT_CASE_H
#define GPUBENCH_EXT_CASE_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_CASE "gb.case/1"

/* Nominal work of one iteration: what the problem asks for, the same for every variant, so that rates rank like times.
 * Zero means "not stated". Each figure, and the sum of the bytes, is below 2^63. Plugin to host; grows by appending.
 * Since 1.0. */
typedef struct gb_work {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t flops;         /* floating-point operations; a multiply-add counts 2 */
  uint64_t bytes_read;    /* each input byte once */
  uint64_t bytes_written; /* each output byte once */
  uint64_t items;         /* things processed, in `item_unit` */
  const char *item_unit;  /* what an item is: "rows", "samples"; at most 63 bytes; NULL if `items` is 0 */
} gb_work;

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_case_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* The value of an axis at this case's point. [plan, case] An axis that does not exist or has another type records a
   * failure on the case, which fails the callback whatever it returns. The result is then 0 (`str`: an empty string).
   */
  int64_t (*i64)(gb_case *c, const char *axis);
  double (*f64)(gb_case *c, const char *axis);
  const char *(*str)(gb_case *c, const char *axis); /* valid until `teardown` returns */

  /* The case's key as in reports, "attention/forward[b=2,...]". [plan, case] Valid until `teardown` returns. */
  const char *(*key)(gb_case *c);

  /* Contract id of the case's bench, for a callback that several benches share. [plan, case] Valid until `teardown`
   * returns. */
  const char *(*contract)(gb_case *c);

  /* The state that the bench's `setup` left in `*state`, so that variants of the bench's own plugin share what they
   * need. [case] NULL in callbacks of another plugin, and in `setup` and `supports`. */
  void *(*state)(gb_case *c);

  /* The precision of the variant whose callback is entered or whose outputs `verify` judges, as in gb_variant.math,
   * with "native" resolved. [case, in prepare, refresh, before, run, after, release, verify] NULL elsewhere. Valid
   * until `teardown` returns. */
  const char *(*math)(gb_case *c);

  /* The seed of the current input values; each verification pass has another one. [case, after setup]
   * Elsewhere it records a failure and gives 0.
   * Do not choose the elements that are compared from this seed, because `run` may ask for it, too: use `places`. */
  uint64_t (*seed)(gb_case *c);

  /* States the nominal work. [case, in a bench's setup] Copied; the last call wins. */
  gb_status (*work)(gb_case *c, const gb_work *work);

  /* A random number from which to choose the elements of an output that are compared, for a bench that compares only a
   * part of an output. [case, in reference and verify]
   * It stays the same during one callback and is a new random number in each.
   * The host draws it when the outputs to compare are final, so that no `run` can compute just these elements.
   * A `reference` that calls `places` is entered again before comparisons, unless it takes more than 0.5 s.
   * A bench that compares a part without `places` gets the mark "foreseen" on its rows, because a variant could foresee
   * which part, and no verdict against other plugins.
   * In any other callback, `places` records a failure and gives 0. */
  uint64_t (*places)(gb_case *c);
} gb_case_ext;

#ifdef __cplusplus
}
#endif
#endif
