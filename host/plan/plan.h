/* What will run: cases and their variants. Pure: no plugin code, no device. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "model/denominator.h"
#include "model/mode.h"
#include "model/model.h"
#include "model/row_status.h"
#include "model/rule.h"

/* What errors of planning are about, for who has more to say. */
enum plan_about {
  PLAN_OTHER_BACKEND = 1, /* of what was chosen nothing has a variant for this backend */
  PLAN_NO_OWNER,          /* nobody offers the contract of a guest */
};

struct plan_variant {
  size_t plugin, variant; /* indices into the catalog */
  char name[ID_SIZE * 2]; /* as shown: "flash"; "flash@mine" where a guest's name is taken; "flash@new" of a build */
  bool required;          /* --require */
  enum row_status fate;   /* ROW_NOT_RUN: it will run; else what came of asking `supports` */
  char *reason;           /* why it will not; owned, or NULL */
  enum rule rule;         /* of the ABI, that it has broken by that; RULE_NONE: none */
  uint32_t hung;          /* cases before this one in which it did not return */
  struct denominator against; /* indices into the case's variants */
};

/* What is measured in one go. A key in two modes is two cases. */
struct plan_case {
  size_t number;        /* from 1, among those that the whole plan asks for; 0: it is not asked for */
  uint32_t shard;       /* whose share it is; 0: the plan is not divided */
  bool gone;            /* another job has begun it: it is not this run's any more */
  size_t plugin, bench; /* the bench's owner */
  struct point point;
  char id[ID_SIZE * 2 + 2]; /* "attention/forward" */
  char key[KEY_SIZE];       /* "attention/forward[b=2,...]": every axis, in the bench's order */
  struct plan_variant *variants;
  size_t variant_count;
  bool named;     /* --baseline says what is divided by, also where there are twins */
  bool yardstick; /* measured for its ceiling, not asked for */
  struct mode mode;
  uint32_t restarts;             /* 0: not given */
  bool restarts_fixed;           /* no more of them, whatever words lack */
  size_t words;                  /* that its bench will have in this mode, at most */
  double precision, case_time_s; /* NaN: the default */
  bool beyond;                   /* within the time that the user allows there is none to be expected for it */
};

struct plan {
  struct plan_case *cases;
  size_t count;
};

#endif
