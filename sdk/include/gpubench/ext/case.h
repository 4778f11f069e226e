/* gb.case/1: what a callback may ask about its case, and the work it declares. */
#ifndef GPUBENCH_EXT_CASE_H
#define GPUBENCH_EXT_CASE_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_CASE "gb.case/1"

/* Nominal work of one iteration: what the problem asks for, the same for every variant, so that rates rank like
 * times. Zero means "not stated"; each, and the bytes together, are below 2^63. Plugin to host; grows by appending.
 * Since 1.0. */
typedef struct gb_work {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t flops;         /* floating-point operations; a multiply-add counts 2 */
  uint64_t bytes_read;    /* each input byte once */
  uint64_t bytes_written; /* each output byte once */
  uint64_t items;         /* things processed */
  const char *item_unit;  /* "rows", "samples"; at most 63 bytes; NULL with items 0 */
} gb_work;

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_case_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* The value of an axis at this case's point. [plan, case] An axis that does not exist or has another type records a
   * failure on the case, which fails the callback whatever it returns, and gives 0 (`str`: an empty string). */
  int64_t (*i64)(gb_case *c, const char *axis);
  double (*f64)(gb_case *c, const char *axis);
  const char *(*str)(gb_case *c, const char *axis); /* valid until `teardown` returns */

  /* The case's key as in reports, "attention/forward[b=2,...]". [plan, case] Valid until `teardown` returns. */
  const char *(*key)(gb_case *c);

  /* Contract id of the case's bench: which of them a callback that several share is entered for. [plan, case] Valid as
   * long. */
  const char *(*contract)(gb_case *c);

  /* What the bench's `setup` left in `*state`, for callbacks of the bench's own plugin: its variants share with the
   * bench what they need. NULL for another plugin's, and in `setup` and `supports`. [case] */
  void *(*state)(gb_case *c);

  /* Precision of the variant whose callback is entered, or whose outputs `verify` judges, as gb_variant.math names it,
   * "native" resolved. [case, in prepare, refresh, before, run, release, verify] NULL elsewhere. Valid as above. */
  const char *(*math)(gb_case *c);

  /* Seed of the current fill; another one in each verification pass. [case, after setup] Elsewhere it records a failure
   * and gives 0. `run` may ask for it too: places that are compared are to be drawn from `places`. */
  uint64_t (*seed)(gb_case *c);

  /* States the nominal work. [case, in a bench's setup] Copied; the last call wins. */
  gb_status (*work)(gb_case *c, const gb_work *work);

  /* A number for drawing the places that are looked at, where `reference` states, or `verify` reads, a part of an
   * output. [case, in reference and verify] The same during one callback, and a new random one in each: it is drawn
   * when the outputs that are to be compared are final, so that no `run` can compute these places alone. A reference
   * that asks for it is entered again for every comparison. Rows of a bench that looks at a part and has not asked are
   * marked "foreseen" and earn no word against others. Elsewhere it records a failure and gives 0. */
  uint64_t (*places)(gb_case *c);
} gb_case_ext;

#ifdef __cplusplus
}
#endif
#endif
