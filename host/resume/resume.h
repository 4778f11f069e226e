/* --resume: continues an interrupted run, and notes in run.ini what that needs. */
#pragma once

#include "options/options.h"
#include "resume/resume_read.h"

/* Loads the run that --resume names, and takes its options. If the run is a shard, `shard` becomes its number, and
 * `whole` the number of cases in the whole plan. `former` must be freed in any case. */
int resume_begin(struct resume *former, struct rundir *dir, struct options *options, struct shard *shard, size_t *whole,
                 struct err *err);

/* Returns what the resumed run already has of the case on the present device; NULL: this is a new run. */
const struct resume_case *resume_find_case(const struct resume *former, const struct plan *plan,
                                           const struct plan_case *plan_case);
/* Returns true if the case is complete. */
bool resume_has_case(const struct resume *former, const struct plan *plan, const struct plan_case *plan_case);

/* Notes in run.ini, for a later --resume, the plugins, their options and the libraries that they bring. */
void resume_note_plugins(const struct catalog *catalog, struct pairs *environment);
/* Copies to run.ini's pairs what the resumed run had noted. */
void resume_note_former(const struct resume *former, struct pairs *environment, struct pairs *tags);
/* Notes in run.ini of a new run the options that affect the measurement. */
void resume_note_options(const struct options *options, struct pairs *environment);
/* Notes in run.ini of a shard the identity of its plan. Call it last, because the identity depends on the other notes.
 */
void resume_note_plan(uint64_t identity, struct pairs *environment);
