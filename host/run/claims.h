/* Verdicts of a case that are checked alone (run/alone.c), and their results in the rows. */
#pragma once

#include "budget/time_budget.h"
#include "record/record.h"
#include "stats/company.h"
#include "stats/restarts.h"

/* A case that was measured with all its processes, and its rows from those. */
struct alone_check {
  struct time_budget *budget; /* with the plan, its catalog and the pool */
  const struct plan_case *p;
  const struct run_case_settings *settings;
  const struct case_result *result;
  struct record *records;
  uint32_t epoch; /* highest number of its processes; measurements alone are numbered after it */
  double taken_s; /* duration of measuring it */
};

/* A verdict that is checked. */
struct claim {
  size_t variant, denominator;
  struct company company;
  struct company_said said;
  enum company_word word;
  double pairs[COMPANY_PAIRS_MOST];
  size_t count, failures;   /* failures: consecutive measurements in which a variant failed */
  double base_log, own_log; /* sums of ln of their times over the pairs */
  bool broken;              /* a variant failed alone */
  char why[MSG_SIZE];       /* why no more pairs are measured; empty: they may be */
};

/* The result of measuring a variant alone. */
struct seen {
  struct restart_side side;
  bool timed;         /* it has times */
  bool contended;     /* other processes were busy meanwhile */
  bool failed;        /* it failed */
  char why[MSG_SIZE]; /* the reason; without `failed` why it could not be measured; empty: none */
};

struct looks {
  const struct alone_check *check;
  struct claim *claims; /* by variant; `word` is COMPANY_MORE while another pair is wanted */
  bool *claimed;
  struct seen *seen;           /* by variant: of the present pair */
  struct untimed_times *ahead; /* by variant: work of its provider's threads ahead of calls, in all pairs */
  int64_t until_ns;            /* 0: no limit */
  uint32_t epoch;
  size_t pairs;
  bool fresh; /* each pair has new processes */
  bool interrupted;
};

/* Returns ln of the factor by which one side of the verdict is slower among others than alone. */
double claim_shift(const struct looks *looks, const struct claim *claim, bool denominator);

/* Writes the number of pairs, and the result of the check or why there is none. */
void claim_set_row(const struct looks *looks, const struct claim *claim);
