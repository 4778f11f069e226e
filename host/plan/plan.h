/* The plan: the cases of a run and their variants. Pure: no plugin code, no device. */
#pragma once

#include "model/denominator.h"
#include "model/mode.h"
#include "model/model.h"
#include "model/row_status.h"
#include "model/rule.h"

/* Subjects of planning errors, for callers that add to the message. */
enum plan_about {
  PLAN_OTHER_BACKEND = 1, /* the chosen benches have no variant for this backend */
  PLAN_NO_OWNER,          /* no plugin offers the contract of a guest */
};

struct plan_variant {
  size_t plugin, variant; /* indices into the catalog */
  char name[ID_SIZE *
            2];  /* as shown: "flash"; "flash@mine" if a guest's name is taken; "flash@new" for a labelled build */
  bool required; /* --require */
  enum row_status fate;       /* ROW_NOT_RUN: it will run; otherwise the result of asking `supports` */
  char *reason;               /* why it will not run; owned, or NULL */
  enum rule rule;             /* rule of the ABI that it broke when asked; RULE_NONE: none */
  uint32_t hung;              /* number of earlier cases in which it hung */
  struct denominator against; /* indices into the case's variants */
};

/* A case to measure. A key in two modes makes two cases. */
struct plan_case {
  size_t number;  /* from 1, among the cases that the whole plan asks for; 0: a case that the user did not ask for */
  uint32_t shard; /* the shard that it belongs to; 0: the plan is not divided */
  bool gone;      /* another job has begun it, so it is no longer part of this run */
  size_t plugin, bench; /* the bench's owner */
  struct point point;
  char id[ID_SIZE * 2 + 2]; /* "attention/forward" */
  char key[KEY_SIZE];       /* "attention/forward[b=2,...]": every axis, in the bench's order */
  struct plan_variant *variants;
  size_t variant_count;
  bool named;     /* --baseline names the denominator, even if there are twins */
  bool yardstick; /* measured for its ceiling only */
  struct mode mode;
  uint32_t restarts;             /* 0: not given */
  bool restarts_fixed;           /* verdicts that need more processes get none */
  size_t words;                  /* largest number of verdicts that its bench will have in this mode */
  double precision, case_time_s; /* NaN: the default */
  bool beyond;                   /* the user's time limit leaves no time for it */
};

struct plan {
  struct plan_case *cases;
  size_t count;
};
