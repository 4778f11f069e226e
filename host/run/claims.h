/* Words of a case that are looked at alone (run/alone.c), and what that has come to, into their rows. */
#ifndef RUN_CLAIMS_H
#define RUN_CLAIMS_H

#include "budget/time_budget.h"
#include "record/record.h"
#include "stats/company.h"
#include "stats/restarts.h"

/* A case that was measured with all its processes, and its rows as company has them. */
struct alone_check {
  struct time_budget *budget; /* with the plan, its catalog and the pool */
  const struct plan_case *p;
  const struct run_case_settings *settings;
  const struct case_result *result;
  struct record *records;
  uint32_t epoch; /* the highest number that one of its processes has; looks are numbered after it */
  double taken_s; /* what measuring it has taken */
};

/* A word that is looked at. */
struct claim {
  size_t variant, denominator;
  struct company company;
  struct company_said said;
  enum company_word word;
  double pairs[COMPANY_PAIRS_MOST];
  size_t count, failures;   /* failures: looks in a row that were not right */
  double base_log, own_log; /* sums over the pairs: of ln of their times */
  bool broken;              /* it was not right alone, for this reason */
  char why[MSG_SIZE];       /* no more pairs are taken; empty: they may be */
};

/* What a look has shown of a variant. */
struct seen {
  struct restart_side side;
  bool timed;         /* there are times, */
  bool contended;     /* while others were at work */
  bool failed;        /* it was not right, */
  char why[MSG_SIZE]; /* for this reason; without `failed`: it could not be looked at. Empty: none */
};

struct looks {
  const struct alone_check *check;
  struct claim *claims; /* by variant; `word` is COMPANY_MORE while a pair is wanted */
  bool *claimed;
  struct seen *seen;           /* by variant: of the pair under way */
  struct untimed_times *ahead; /* by variant: what its provider's threads did ahead of its calls, in all looks */
  int64_t until_ns;            /* 0: however long it takes */
  uint32_t epoch;
  size_t pairs;
  bool fresh; /* each pair is of processes of its own */
  bool interrupted;
};

/* How many times as long a side of a claim takes in company as alone, in ln. */
double claim_shift(const struct looks *looks, const struct claim *claim, bool denominator);

/* The pairs, and the word or why there is none. */
void claim_set_row(const struct looks *looks, const struct claim *claim);

#endif
