/* Verdicts of a case that are checked by measuring both variants alone (run/alone.c), and how the results of the check
 * are written into the rows. */
#pragma once

#include "budget/time_budget.h"
#include "record/record.h"
#include "stats/company.h"
#include "stats/restarts.h"

/* A case that was measured in all its processes, and the rows with its results. */
struct alone_check {
  struct time_budget *budget; /* also gives access to the plan, to the plugins (catalog) and to the workers (pool) */
  const struct plan_case *p;
  const struct run_case_settings *settings;
  const struct case_result *result;
  struct record *records;
  /* highest number of a process that has measured the case; processes that measure alone get higher numbers */
  uint32_t epoch;
  double taken_s; /* how long measuring the case took */
};

/* A verdict that is checked: the variant, the denominator of its ratio, and pairs of measurements in which each of the
 * two ran alone. */
struct claim {
  size_t variant, denominator;
  struct company company;
  struct company_said said;
  enum company_word word;
  double pairs[COMPANY_PAIRS_MOST];
  /* number of pairs that were measured; number of consecutive measurements in which a variant failed */
  size_t count, failures;
  double base_log, own_log; /* sums of ln(time) over the pairs, for the denominator and for the variant */
  bool broken;              /* true if a variant failed when measured alone */
  char why[MSG_SIZE];       /* why no more pairs are measured; empty: more may be measured */
};

/* The result of measuring one variant alone. */
struct seen {
  struct restart_side side;
  bool timed;         /* true if times of the variant were measured */
  bool contended;     /* true if other processes of the machine were busy meanwhile */
  bool failed;        /* true if the variant failed */
  char why[MSG_SIZE]; /* the reason of a failure, or else why the variant could not be measured; empty: none */
};

struct looks {
  const struct alone_check *check;
  struct claim *claims; /* for each variant of the case: its verdict that is checked; `word` is COMPANY_MORE while
                           another pair is needed */
  bool *claimed;
  struct seen *seen; /* for each variant of the case, its result in the present pair */
  /* for each variant of the case, over all pairs, how long threads of its provider worked before its calls began */
  struct untimed_times *ahead;
  int64_t until_ns; /* when the check must end; 0: no limit */
  uint32_t epoch;
  size_t pairs;
  bool fresh; /* true if each pair gets new processes */
  bool interrupted;
};

/* Returns how much slower a variant is in one process with other providers than alone: ln(time together / time alone).
 * The variant is the one whose verdict is checked or, with `denominator`, the one that its speedup is divided by. */
double claim_shift(const struct looks *looks, const struct claim *claim, bool denominator);

/* Writes into the row of the variant how many pairs of measurements were made to check its verdict, and the result of
 * the check or why there is none. */
void claim_set_row(const struct looks *looks, const struct claim *claim);
