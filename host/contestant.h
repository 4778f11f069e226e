/* One variant taking part in a case: prepared, run, verified, released; and what became of it. */
#ifndef CONTESTANT_H
#define CONTESTANT_H

#include "instance.h"
#include "stats.h"
#include "wire.h"

struct contestant {
  struct gb_case *c;
  struct variant *variant;
  uint32_t index; /* in the request */
  const char *name;
  void *vstate;
  bool prepared, launched;      /* launched: `run` has been entered once */
  bool blameless;               /* the device failed while it ran, but would have with any other */
  struct variant_report report; /* status ROW_OK while it takes part */
  uint32_t slot_size;
  struct slot *slots; /* with owned samples */
  size_t slot_count;
};

/* Takes part still? */
bool contestant_alive(const struct contestant *k);

/* Ends its part with a status and a sentence; releases it. */
void contestant_drop(struct contestant *k, enum row_status status, const char *format, ...) ERR_PRINTF(3, 4);

void contestant_prepare(struct contestant *k);
void contestant_release(struct contestant *k);

/* Runs `count` isolated iterations into `ns`. A callback's failure drops it; -1 only when the device failed. */
int contestant_slot(struct contestant *k, uint32_t count, bool flush, double *ns, struct err *err);

/* Poisons the outputs, runs once, judges. What does not pass drops it; -1 only when the device failed. */
int contestant_verify(struct contestant *k, struct err *err);

/* One launch to warm up and one for a profiler to see, neither held back. -1 only when the device failed. */
int contestant_profile(struct contestant *k, struct err *err);

void contestant_keep(struct contestant *k, uint32_t round, const double *ns, uint32_t count);
void contestant_free(struct contestant *k);

#endif
