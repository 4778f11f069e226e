/* The ceilings of the device whose turn it is, from former runs and for later ones. */
#ifndef ROOFS_YARDSTICKS_H
#define ROOFS_YARDSTICKS_H

#include "options/options.h"
#include "plan/plan.h"
#include "record/record.h"
#include "roofs/user_cache.h"

#define CALIBRATE "calibrate" /* the plugin whose benches are yardsticks */

struct yardsticks {
  const struct options *options;
  const struct plan *plan;
  const struct catalog *catalog;
  const struct device_facts *facts;
  char path[4096];  /* of what is remembered; empty: nothing is, of this device */
  struct pairs key; /* under which */
  struct remembered figures[CEILINGS];
  struct plan_case *check;         /* while it is checked: by this case, cut to one variant */
  struct plan_variant alone, *all; /* that, and those that the case has */
  size_t all_count;
  double ratio;             /* what it copies now, of what is remembered; NaN: not known */
  bool held, fresh;         /* it still is as remembered; something was measured now */
  char text[2 * TEXT_SIZE]; /* what is said of it; empty: nothing was remembered */
  bool asked;               /* whether what is remembered holds is known */
};

/* What is remembered of the device, under what run.ini says of it and of the host, and the case that checks it, cut to
 * its best variant until yardsticks_checked(); NULL: nothing is. */
struct plan_case *yardsticks_recall(struct yardsticks *yardsticks, const struct pairs *device,
                                    const struct pairs *host);
/* Says in run.ini's `device` what has come of it; ceilings that still hold are taken. */
void yardsticks_checked(struct yardsticks *yardsticks, struct pairs *device, struct ceilings *ceilings);
/* Takes what a yardstick has shown in this run. False: it showed that what is remembered does not hold, and is no row.
 */
bool yardsticks_take(struct yardsticks *yardsticks, const struct plan_case *plan_case, const struct record *records,
                     const char *run_id, struct ceilings *ceilings);
/* Will ceilings be taken from a former run, as far as can be told without looking into what it left? */
bool yardsticks_expected(const struct yardsticks *yardsticks);
/* Is this one's ceiling remembered, and holds? */
bool yardsticks_know(const struct yardsticks *yardsticks, const struct plan_case *plan_case);
/* For later runs. */
void yardsticks_keep(struct yardsticks *yardsticks);
/* Which ceiling it is the yardstick of; CEILINGS: of none. */
size_t yardsticks_ceiling(const struct yardsticks *yardsticks, const struct plan_case *plan_case);

#endif
