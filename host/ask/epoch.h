/* An epoch of a case: the variants that one worker process (with --isolate, one per plugin) is asked to measure, and
 * where the answers go. */
#pragma once

#include "ask/request.h"
#include "model/result.h"
#include "worker/ending.h"

/* The suspicion against a variant that failed when other variants had run in its process (see blame.h). */
struct doubt {
  enum row_status status;
  bool killed; /* true if the process was killed from outside gpubench */
  /* the message of the fault; NULL: the variant never was a suspect. It stays when the variant has done well alone */
  char *text;
  char *company;  /* names of the other plugins or variants that ran in the process of the fault: "X, Y" */
  bool providers; /* true if variants of other plugins ran in the process of the fault */
  bool one;       /* true if only this variant is suspected, false if all variants that ran in the process are */
  /* how many verifications of the variant alone are needed to see a wrong result again with 95% probability, if it is
   * as frequent as before; 0: as many as usual */
  uint32_t verifications;
  /* number of verifications of the variant alone that were done so far, the one before anything is timed included */
  uint32_t verified;
  /* number of the epoch in which the variant did well without its baseline; the two must still run together. 0: there
   * is no such epoch. Variants that were never suspects but had to wait for their baseline have such a number, too */
  uint32_t cleared;
};

/* Which variants take part in an epoch. */
enum epoch_kind {
  /* all variants that never were suspects, even if only one is left and runs in a process that has run others before */
  EPOCH_TOGETHER,
  /* one variant in a process that has run nothing else: a suspect, or the only variant that is left to measure */
  EPOCH_ALONE,
  /* one variant that was suspected of a failure and ran well alone, together with the possible baselines of its speedup
   */
  EPOCH_BESIDE,
};

/* An untimed callback (a callback outside the measured time) as this process observes it. */
struct untimed_call {
  uint32_t variant; /* index of the variant in the request */
  int64_t began_ns; /* when the callback began; 0: no callback of this kind has begun */
  double ns;        /* duration; NaN: it has not ended */
};

struct epoch {
  const struct plan_case *plan_case;
  const struct run_case_settings *settings;
  struct case_result *result;
  struct case_request *request;
  size_t *asked; /* plan index of each variant of the request */
  /* number: number of the epoch; restart: number of processes that have measured the case before; processes: number of
   * processes that the case gets in all, as far as known */
  uint32_t number, restart, processes;
  int64_t until_ns; /* when the last process of the case should end; 0: no limit */
  size_t open;      /* plan index of the variant whose last slot (series of samples) may still grow; SIZE_MAX: none */
  /* the catalog, by which messages name the other variants of the process; NULL: messages cannot name them */
  const struct catalog *catalog;
  struct doubt *doubts; /* for each plan index, the suspicion against the variant */
  /* for each plan index, 0 or the number of the epoch in which the variant did well. A variant with such a number
   * waits, because its baseline (the variant that its speedup divides by) must first be measured alone */
  uint32_t *waits;
  size_t apart; /* plan index of the suspect that is measured without the others; SIZE_MAX: none */
  enum epoch_kind kind;
  /* with one process per plugin (--isolate), index of the plugin whose variants this process measures; SIZE_MAX: one
   * process measures all */
  size_t provider;
  /* true if other processes measure the case at the same time, and this is not the first of them. Then this
   * process's report of the case counts only if no other process has sent one. */
  bool visits;
  bool fresh;     /* true if the process had run nothing before this epoch */
  bool cut_short; /* true if the worker reports that it was interrupted, although this process did not ask for that */
  bool whole;     /* true if the worker has sent its report of the case, after which it only runs `teardown` */
  bool accused;   /* true if a variant was blamed or suspected in this epoch */
  bool killed;    /* true if a worker of this case was killed from outside gpubench */
  struct untimed_call untimed[UNTIMED_KINDS]; /* the last untimed callback of each kind */
  uint32_t overheads;                         /* number of processes that have measured the launch overhead */
  int64_t mark_ns; /* when the present batch of calls began, by this process's clock; 0: none has begun */
  uint32_t mark_variant;
  /* how long the messages for the start and the end of a batch take: the longest time between the two messages of a
   * batch without calls, by this process's clock */
  double telling_ns;
  /* how often in this case a callback of the bench did not return while one variant was measured alone */
  uint32_t hung;
};

void epoch_init(struct epoch *e, const struct plan_case *plan_case, const struct run_case_settings *settings,
                struct case_result *result);
void epoch_free(struct epoch *e);

/* Builds the request for the next epoch from all variants for which epoch_has() returns true. */
void epoch_begin(struct epoch *e, const struct pool_worker *member);
/* epoch_has() returns true if the variant takes part in the next epoch (the next process that measures this case). It
 * does if it must still be measured, or if it may be the baseline of a variant that must still be measured.
 * epoch_kind_of() returns the kind of the next epoch. */
bool epoch_has(const struct epoch *e, size_t index);
enum epoch_kind epoch_kind_of(const struct epoch *e);

/* Returns true if a possible baseline of variant `index` (a variant that its speedup may divide by) has the final
 * status ok. */
bool epoch_has_company(const struct epoch *e, size_t index);

/* Returns true if every variant of the next epoch comes from the suspect's plugin or from the plugin that defines the
 * bench. Then the epoch's process need not load other plugins. */
bool epoch_is_of_one_provider(const struct epoch *e);

/* Returns true if a possible baseline of variant `index` (a variant that its speedup may divide by) is a suspect that
 * must still be measured alone. */
bool epoch_waits_for_suspect(const struct epoch *e, size_t index);

/* Returns the result of the variant at index `place` of the request, or NULL. */
struct variant_result *epoch_result(const struct epoch *e, uint32_t place);

/* Writes how the process ended, and where: "SIGSEGV in run of attention/forward/flash[b=2,...]: last line printed". */
void epoch_sentence(const struct epoch *e, const struct ending *ending, char *to, size_t size);
