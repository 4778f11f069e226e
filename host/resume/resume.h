/* --resume: an interrupted run taken up, and what a run writes down so that it can be. */
#ifndef RESUME_RESUME_H
#define RESUME_RESUME_H

#include "options/options.h"
#include "resume/resume_read.h"

/* Takes the run of --resume up, and its options with it; and the part of the plan that it is, of so many cases, where
 * it is a shard. `former` is to be freed whatever happens. */
int resume_begin(struct resume *former, struct rundir *dir, struct options *options, struct shard *shard, size_t *whole,
                 struct err *err);

/* What is there of the case, on the device whose turn it is; NULL: this is a new run. */
const struct resume_case *resume_find_case(const struct resume *former, const struct plan *plan,
                                           const struct plan_case *plan_case);
/* Is all of it there? */
bool resume_has_case(const struct resume *former, const struct plan *plan, const struct plan_case *plan_case);

/* What a later --resume needs, into run.ini: the plugins, their options, and what they bring along; */
void resume_note_plugins(const struct catalog *catalog, struct pairs *environment);
/* what the run that this one goes on with has noted; */
void resume_note_former(const struct resume *former, struct pairs *environment, struct pairs *tags);
/* or what a new one was given that changes what is measured; */
void resume_note_options(const struct options *options, struct pairs *environment);
/* and whose plan a shard's is, behind all of these. */
void resume_note_plan(uint64_t identity, struct pairs *environment);

#endif
