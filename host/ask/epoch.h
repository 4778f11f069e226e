/* An epoch of a case: the variants that one process is asked about, and where its answers go. */
#pragma once

#include "ask/request.h"
#include "model/result.h"
#include "worker/ending.h"

/* The suspicion against a variant when other variants had run in its process. */
struct doubt {
  enum row_status status;
  bool killed;      /* its process was killed from outside */
  char *text;       /* the message of the fault; NULL: it is no suspect */
  char *company;    /* what else ran in that process: "X, Y" */
  bool strangers;   /* other providers ran there */
  bool one;         /* the suspicion is against this variant only, not against all */
  uint32_t looks;   /* verifications alone that would show a fault of the same frequency again */
  uint32_t looked;  /* verifications done alone */
  uint32_t cleared; /* number of the epoch in which it did well alone; 0: none */
};

/* Which variants take part in an epoch. */
enum trial {
  TRIAL_TOGETHER, /* all that are not suspects; or one that is left, in a process that has run others before */
  TRIAL_ALONE,    /* one, in a process that has run nothing else */
  TRIAL_BESIDE,   /* one that did well alone, together with the variants that its speedup may divide by */
};

/* An untimed callback as this process observes it. */
struct untimed_call {
  uint32_t variant; /* place in the request */
  int64_t began_ns; /* 0: none began */
  double ns;        /* duration; NaN: it has not ended */
};

struct epoch {
  const struct plan_case *plan_case;
  const struct run_case_settings *settings;
  struct case_result *result;
  struct case_request *request;
  size_t *asked;                       /* plan index of each of the request's variants */
  uint32_t number, restart, processes; /* processes: how many the case shall have, as known so far */
  int64_t until_ns;                    /* when the last of them should end; 0: no limit */
  size_t open;                         /* plan index of the variant whose last slot may still grow; SIZE_MAX: none */
  const struct catalog *catalog;       /* NULL: neighbours have no names */
  struct doubt *doubts;                /* by plan index */
  /* by plan index: number of the epoch in which the variant did well without its baseline, a suspect that may still
   * become available; 0: it does not wait */
  uint32_t *waits;
  size_t apart; /* plan index of the suspect that is measured apart from the others; SIZE_MAX: none */
  enum trial trial;
  /* with one process per provider, the plugin whose variants this one measures; SIZE_MAX: there is one process */
  size_t provider;
  bool visits;    /* its report of the case counts only if no other process has sent one */
  bool fresh;     /* the process has run nothing before */
  bool cut_short; /* the worker reports an interruption that was not requested */
  bool whole;     /* the worker has sent its complete report of the case, before taking the case down */
  bool accused;   /* a variant was blamed or suspected in this epoch */
  bool killed;    /* a worker of this case was killed from outside */
  struct untimed_call untimed[UNTIMED_KINDS]; /* the last one of each kind */
  uint32_t floors;                            /* processes that have measured the launch overhead */
  int64_t mark_ns;                            /* when a batch began, by this process's clock; 0: none has */
  uint32_t mark_variant;
  double telling_ns; /* longest time to be told of an empty batch */
  uint32_t hung;     /* how often in this case a callback of the bench did not return with one variant alone */
};

void epoch_init(struct epoch *e, const struct plan_case *plan_case, const struct run_case_settings *settings,
                struct case_result *result);
void epoch_free(struct epoch *e);

/* Builds the request: all variants that take part, as epoch_has() says. */
void epoch_begin(struct epoch *e, const struct pool_worker *member);
/* epoch_has() returns true if the variant takes part in the next epoch: it is measured, or the speedup of a measured
 * one may divide by it. epoch_trial() returns the kind of the next epoch. */
bool epoch_has(const struct epoch *e, size_t index);
enum trial epoch_trial(const struct epoch *e);

/* Returns true if a variant that its speedup may divide by is settled and ok. */
bool epoch_has_company(const struct epoch *e, size_t index);

/* Returns true if the next epoch runs only variants of the bench's owner and of the suspect's provider. */
bool epoch_is_of_one_provider(const struct epoch *e);

/* Returns true if a variant that its speedup may divide by is a suspect and may still be ok. */
bool epoch_waits_for_suspect(const struct epoch *e, size_t index);

/* Returns the result of the variant at this place in the request, or NULL. */
struct variant_result *epoch_result(const struct epoch *e, uint32_t place);

/* Writes "SIGSEGV in run of attention/forward/flash[b=2,...]: last line printed". */
void epoch_sentence(const struct epoch *e, const struct ending *ending, char *to, size_t size);
