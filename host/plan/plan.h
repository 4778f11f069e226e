/* The plan: the cases of a run and their variants. No I/O, no plugin code, no device. */
#pragma once

#include "model/denominator.h"
#include "model/mode.h"
#include "model/model.h"
#include "model/row_status.h"
#include "model/rule.h"

/* The subject of a planning error (err.about), for callers that add to the message. */
enum plan_about {
  PLAN_OTHER_BACKEND = 1, /* the chosen benches have no variant for this backend */
  PLAN_NO_OWNER,          /* no plugin has the bench that a variant is for */
};

struct plan_variant {
  size_t plugin, variant; /* index of the plugin in the catalog, and of the variant in the plugin */
  /* name by which the variant is shown: "flash"; "flash@mine" if the variant comes from another plugin than its bench
   * and the name is taken; "flash@new" for a variant of a labelled build */
  char name[ID_SIZE * 2];
  bool required; /* true if --require names it */
  /* ROW_NOT_RUN: the variant is to run; any other status: it will not, for example because its callback `supports`
   * refused the case */
  enum row_status status;
  char *reason;   /* why the variant will not run; owned; NULL: it will run */
  enum rule rule; /* the rule of the ABI that the variant broke when its `supports` was asked; RULE_NONE: none */
  uint32_t hung;  /* number of earlier cases in which the variant hung */
  /* the variants that may be the baseline of this variant, as indices into the case's variants */
  struct denominator against;
};

/* A case to measure. The same key in two modes makes two cases. */
struct plan_case {
  size_t number; /* the case's number from 1 in the whole plan; 0: a case that the user did not ask for */
  /* number of the shard (part of a divided plan) that the case belongs to; 0: the plan is not divided */
  uint32_t shard;
  bool gone;            /* true if another job has begun the case, so that it is no longer part of this run */
  size_t plugin, bench; /* indices of the bench and its owner in the catalog */
  struct point point;
  char id[ID_SIZE * 2 + 2]; /* name of the bench with that of its plugin: "attention/forward" */
  char key[KEY_SIZE]; /* the case's key, with every axis in the order of the bench: "attention/forward[b=2,...]" */
  struct plan_variant *variants;
  size_t variant_count;
  bool named; /* true if --baseline names the baseline; then variants of one name from two builds are not compared */
  /* true if the case is measured only because its rate is a ceiling (a highest rate) of the device */
  bool yardstick;
  struct mode mode;
  uint32_t restarts;   /* number of processes that measure the case; 0: not given */
  bool restarts_fixed; /* true if the case gets no more processes even if its verdicts need them */
  size_t verdicts; /* upper limit of the number of verdicts (faster, slower, same) of all cases with the same bench and
                      mode */
  /* precision and time of the case as the selection gives them; NaN: the default applies */
  double precision, case_time_s;
  bool beyond; /* true if the user's time limit leaves no time for the case */
};

struct plan {
  struct plan_case *cases;
  size_t count;
};
