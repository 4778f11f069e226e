/* One request under way: which of a case's variants it asks about, and where their answers go. */
#ifndef ASK_EPOCH_H
#define ASK_EPOCH_H

#include "ask/request.h"
#include "model/result.h"
#include "worker/ending.h"

/* What a variant is suspected of, since others ran in its process when it was seen. */
struct doubt {
  enum row_status status;
  bool killed;      /* from outside */
  char *text;       /* NULL: nothing */
  char *company;    /* who ran in that process, too: "X, Y" */
  bool strangers;   /* other providers did */
  bool one;         /* it alone is suspected of it, and not everybody */
  uint32_t looks;   /* so often its outputs are to be looked at alone, until what is as frequent would have been seen */
  uint32_t looked;  /* so often they were */
  uint32_t cleared; /* number of the epoch in which it did well alone; 0: none */
};

/* Who takes part. */
enum trial {
  TRIAL_TOGETHER, /* all that nothing is suspected of; or whoever is left, in a process that has run others before */
  TRIAL_ALONE,    /* one, in a process that has run nothing else */
  TRIAL_BESIDE,   /* one that has done well alone, beside what it is compared with */
};

/* A callback outside the time, as this process has seen it go by. */
struct untimed_call {
  uint32_t variant; /* by its place in the request */
  int64_t began_ns; /* 0: none did */
  double ns;        /* that it took; NaN: it has not ended */
};

struct epoch {
  const struct plan_case *plan_case;
  const struct run_case_settings *settings;
  struct case_result *result;
  struct case_request *request;
  size_t *asked;                       /* plan index of each of the request's variants */
  uint32_t number, restart, processes; /* that are to be measured, so far */
  int64_t until_ns;                    /* when the last of them is to end; 0: whenever it does */
  size_t open;                   /* plan index of the variant whose last slot may have more to come; SIZE_MAX: none */
  const struct catalog *catalog; /* NULL: company has no names */
  struct doubt *doubts;          /* by plan index */
  uint32_t *waits; /* likewise: number of the epoch in which it did well without what its speedup divides by, a suspect
                      that may be had later; 0: it waits for nobody */
  size_t apart;    /* plan index of the variant that is tried apart from the others; SIZE_MAX: nobody is */
  enum trial trial;
  size_t provider; /* it is the seat of this plugin's variants, one of several processes; SIZE_MAX: there is one */
  bool visits;     /* and what it says of the case counts only where the others say nothing */
  bool fresh;      /* its process has run nothing before */
  bool cut_short;  /* it says that it was interrupted, and nobody has asked for that */
  bool whole;      /* it has said all that there is to say of the case, before taking it down */
  bool accused;    /* somebody was blamed or suspected in it */
  bool killed;     /* in this case a worker was killed from outside */
  struct untimed_call untimed[UNTIMED_KINDS]; /* the last one of each kind */
  uint32_t floors;                            /* processes that have measured one */
  int64_t mark_ns;                            /* when a batch began, by the clock of this process; 0: none has */
  uint32_t mark_variant;
  double telling_ns; /* what it took at most to hear of an empty one */
  uint32_t hung;     /* so often in this case a callback of the bench did not return beside one variant alone */
};

void epoch_init(struct epoch *e, const struct plan_case *plan_case, const struct run_case_settings *settings,
                struct case_result *result);
void epoch_free(struct epoch *e);

/* Makes the request: of all that are to be measured, and what their speedups divide by. */
void epoch_begin(struct epoch *e, const struct pool_worker *member);
/* Who that is, by `trial`; and which trial it is. */
bool epoch_has(const struct epoch *e, size_t index);
enum trial epoch_trial(const struct epoch *e);

/* Is there anything settled that its speedup divides by? */
bool epoch_has_company(const struct epoch *e, size_t index);

/* Returns whether all that is to run in the next epoch is of the bench's owner and the provider that is tried apart. */
bool epoch_is_of_one_provider(const struct epoch *e);

/* Returns whether something that its speedup divides by is suspected, and may yet be ok. */
bool epoch_waits_for_suspect(const struct epoch *e, size_t index);

/* What has this place in the request, or NULL. */
struct variant_result *epoch_result(const struct epoch *e, uint32_t place);

/* "SIGSEGV in run of attention/forward/flash[b=2,...]: last line printed" */
void epoch_sentence(const struct epoch *e, const struct ending *ending, char *to, size_t size);

#endif
