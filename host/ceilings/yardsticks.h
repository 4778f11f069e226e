/* The ceilings of the present device, that is the highest rates measured on it. They come from this run or an earlier
 * one, and are kept for later runs. */
#pragma once

#include "ceilings/user_cache.h"
#include "options/options.h"
#include "plan/plan.h"
#include "record/record.h"

/* the plugin whose benches measure ceilings (highest rates of the device) */
#define CALIBRATE "calibrate"

struct yardsticks {
  const struct options *options;
  const struct plan *plan;
  const struct catalog *catalog;
  const struct device_facts *facts;
  char path[4096];  /* file of the remembered figures; empty: none for this device */
  struct pairs key; /* facts about device and host that must be the same when the figures are used */
  struct remembered figures[CEILINGS];
  /* the case that checks the remembered ceilings, while it is reduced to one variant; else NULL */
  struct plan_case *check;
  struct plan_variant alone, *all; /* the variant that checks the ceilings, and all variants of the case */
  size_t all_count;
  double ratio; /* copy rate now, divided by the remembered one; NaN: not known */
  /* `held`: the remembered ceilings are confirmed; `fresh`: some ceilings were measured in this run */
  bool held, fresh;
  char text[2 * TEXT_SIZE]; /* message about the check of the remembered ceilings; empty: there were none */
  bool asked;               /* true once yardsticks_recall() was called */
};

/* Recalls the ceilings that are remembered for this device, if the facts `device` and `host` for run.ini are still the
 * same. Returns the case that checks them, which is reduced to its fastest variant until yardsticks_checked() is
 * called. NULL: nothing is remembered. */
struct plan_case *yardsticks_recall(struct yardsticks *yardsticks, const struct pairs *device,
                                    const struct pairs *host);
/* Ends the check of the remembered ceilings: copies the figures to `ceilings` if they still hold. */
void yardsticks_checked(struct yardsticks *yardsticks, struct ceilings *ceilings);
/* Takes the result of a case that measures a ceiling. Returns false if the result only showed that the remembered
 * ceilings no longer hold; it must not become a row then. */
bool yardsticks_take(struct yardsticks *yardsticks, const struct plan_case *plan_case, const struct record *records,
                     const char *run_id, struct ceilings *ceilings);
/* Returns true if ceilings will probably come from an earlier run, without reading the file. */
bool yardsticks_expected(const struct yardsticks *yardsticks);
/* Returns true if the ceiling that this case measures is remembered and still holds. */
bool yardsticks_know(const struct yardsticks *yardsticks, const struct plan_case *plan_case);
/* Ends the measurement of the ceilings: notes in `device`, for run.ini, where they come from or that there are none,
 * and writes them for later runs. */
void yardsticks_end(struct yardsticks *yardsticks, const struct ceilings *ceilings, struct pairs *device);
/* Returns the index of the ceiling that this case measures; CEILINGS: none. */
size_t yardsticks_ceiling(const struct yardsticks *yardsticks, const struct plan_case *plan_case);

/* Takes the ceilings of the run that --ceilings names, and notes in `device` where they come from. That run must be of
 * the kind of device that `facts` describes. */
int ceilings_take(const char *path, const struct device_facts *facts, struct ceilings *ceilings, struct pairs *device,
                  struct err *err);
/* Adds the ceilings that are known to `device`, for run.ini. */
void ceilings_note(const struct ceilings *ceilings, struct pairs *device);
