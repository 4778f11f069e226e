/* gb.case/1: what a callback may ask about its case, and the work that the case declares. */
#ifndef GPUBENCH_EXT_CASE_H
#define GPUBENCH_EXT_CASE_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_CASE "gb.case/1"

/* Nominal work of one iteration: the work that the problem needs. It is the same for every variant, so that variants
 * have the same order by rate as by time. Zero means that the plugin gives no figure. Each figure, and the sum of the
 * bytes, is below 2^63. The plugin gives this struct to the host; later versions may append members. Since 1.0. */
typedef struct gb_work {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t flops;         /* floating-point operations; a multiply-add counts 2 */
  uint64_t bytes_read;    /* each input byte once */
  uint64_t bytes_written; /* each output byte once */
  uint64_t items;         /* things processed, in `item_unit` */
  const char *item_unit;  /* what an item is: "rows", "samples"; at most 63 bytes; NULL if `items` is 0 */
} gb_work;

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_case_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Return the value of an axis in this case. May be called while cases are chosen or run [plan-thread, case-thread].
   * An axis that does not exist or has another type records a failure on the case, which fails the callback whatever it
   * returns. The result is then 0 (`str`: an empty string). */
  int64_t (*i64)(gb_case *c, const char *axis);
  double (*f64)(gb_case *c, const char *axis);
  const char *(*str)(gb_case *c, const char *axis); /* valid until `teardown` returns */

  /* Returns the case's key as in reports, "attention/forward[b=2,...]". May be called while cases are chosen or run
   * [plan-thread, case-thread]. Valid until `teardown` returns. */
  const char *(*key)(gb_case *c);

  /* Returns the contract id of the case's bench (gb_bench.contract), for a callback that several benches share. May be
   * called while cases are chosen or run [plan-thread, case-thread]. Valid until `teardown` returns. */
  const char *(*contract)(gb_case *c);

  /* Returns the state that the bench's `setup` left in `*state`, so that variants of the bench's own plugin can use it.
   * May be called while a case runs [case-thread]. NULL in callbacks of another plugin, and in `setup`, `supports` and
   * `minor_of`. */
  void *(*state)(gb_case *c);

  /* Returns the precision of the variant whose callback is entered or whose outputs `verify` judges, as in
   * gb_variant.math, but with "native" replaced by the precision that it means for this case. May be called in
   * `prepare`, `refresh`, `before`, `run`, `after`, `release` and `verify` [case-thread]. NULL elsewhere. Valid until
   * `teardown` returns. */
  const char *(*math)(gb_case *c);

  /* Returns the seed of the current input values; each verification pass has another one. May be called after `setup`
   * has returned [case-thread]. Elsewhere it records a failure and gives 0.
   * A bench that compares only some elements must choose them by `places` and not by this seed: `run` may ask for the
   * seed, too, and could compute just these elements. */
  uint64_t (*seed)(gb_case *c);

  /* Declares the nominal work of the case; the struct is copied. May be called in a bench's `setup` [case-thread]. If
   * it is called again, the last call counts. Returns GB_ENOTSUP if `work` has a later member that this host does not
   * know. The case is then skipped, whatever `setup` returns. */
  gb_status (*work)(gb_case *c, const gb_work *work);

  /* Returns a random number from which to choose the elements of an output that are compared, for a bench that compares
   * only a part of an output. May be called in `reference` and `verify` [case-thread].
   * The number stays the same during one callback, and each callback gets a new one.
   * The host draws it when the outputs to compare are final, so that no `run` can compute just these elements.
   * A `reference` that calls `places` is entered again before comparisons, unless it takes more than 0.5 s.
   * If a bench compares a part without `places`, a variant could foresee which part. The rows of the bench then have
   * the mark "foreseen" and no verdict against variants of other plugins.
   * In any other callback, `places` records a failure and gives 0. */
  uint64_t (*places)(gb_case *c);
} gb_case_ext;

#ifdef __cplusplus
}
#endif
#endif
