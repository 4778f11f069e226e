/* A job is a run that measures one part of a plan while other jobs measure the other parts. A job that has finished
 * takes over cases that other jobs have not begun. That balances the load of the jobs, which no plan can do: a case
 * ends when it is precise, so it is not known before how long it takes. */
#include "run/take_over.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/supports.h"
#include "base/memory.h"
#include "base/tree.h"
#include "plan/build.h"
#include "plan/claims.h"
#include "run/device_loop.h"
#include "run/run_facts.h"
#include "worker/signals.h"

/* ---- Claiming the job's own cases ---- */

/* Finds the folder of the files by which jobs claim cases; it lies next to the directory of each job. Finds none for
 * the last job, which keeps all its cases because they need the machine to themselves. */
void run_jobs_find(struct planning *planning, const struct options *options, const struct recording *r) {
  const bool resumed = r->resumed != NULL, job = resumed || options->run.jobs != NULL;
  const char *own = resumed ? r->dir.path : options->outputs.out, *slash = own ? strrchr(own, '/') : NULL;
  if (!job || slash == NULL || planning->shard.number == planning->shard.of || planning->claims != NULL) return;
  planning->claims = memory_print("%.*s/claims", (int)(slash - own), own);
  if (access(planning->claims, F_OK) == 0) return;
  free(planning->claims);
  planning->claims = NULL;
}

static void give_to_job(struct plan_case *p, uint32_t whose, struct progress *progress) {
  p->gone = true;
  progress->total--;
  if (!progress->quiet) fprintf(stderr, "gpubench: taken over by job %u: %s\n", whose, p->key);
}

void run_jobs_look(struct planning *planning, struct progress *progress) {
  for (size_t i = 0; planning->claims != NULL && i < planning->plan.count; i++) {
    struct plan_case *p = &planning->plan.cases[i];
    const uint32_t whose = p->yardstick || p->gone ? 0 : claims_whose(planning->claims, p->number);
    if (whose != 0 && whose != planning->shard.number) give_to_job(p, whose, progress);
  }
}

/* Claims a case for this job. The claim also names the job whose part of the plan contains the case. A resumed job does
 * not know from which job it took a case over, so it names itself. That does no harm, because such a case already has
 * this job's claim, which stays as it is. */
static int claim_case(const struct planning *planning, const struct plan_case *p, uint32_t *whose, struct err *err) {
  const uint32_t by = planning->shard.number, of = p->shard > 0 ? p->shard : by;
  return claims_take(planning->claims, p->number, by, of, whose, err);
}

int run_jobs_claim(struct planning *planning, struct plan_case *p, struct progress *progress, struct err *err) {
  uint32_t whose;
  if (planning->claims == NULL) return 0;
  run_jobs_look(planning, progress);
  if (p->gone) return 0;
  if (claim_case(planning, p, &whose, err) != 0) return -1;
  if (whose != planning->shard.number) give_to_job(p, whose, progress);
  return 0;
}

/* ---- Taking over cases of other jobs ---- */

static struct plan_case *add_taken(struct plan *plan, const struct plan_case *other, struct progress *progress,
                                   struct pairs *environment) {
  struct plan_case *p = &plan->cases[plan->count++]; /* plan_cut() has left room for the case */
  *p = *other;
  progress->total++;
  run_note_verdicts(p, environment);
  return p;
}

/* Claims a case that this job takes over. Writes run.ini with the case in it before the claim, so that a claimed case
 * can always be resumed. If the job is killed in between, its directory has a case that the job has not claimed; such a
 * case does not count as the job's. */
static int claim_own(struct run_state *run, struct plan_case *p, struct err *err) {
  uint32_t whose;
  if (device_loop_write_ini(&run->devices, &run->recording, &run->planning, err) != 0) return -1;
  tree_settle(run->recording.dir.path);
  if (claim_case(&run->planning, p, &whose, err) != 0) return -1;
  if (whose == run->planning.shard.number) return 0;
  p->gone = true;
  run->progress->total--;
  return 0;
}

static bool is_to_end(const struct run_devices *devices) {
  return signals_last() != 0 || signals_asked_to_finish() || run_device(devices)->lost.exit_code != 0;
}

/* Takes over the last case in the plans of the other jobs, because they would reach it last. */
int run_jobs_take_over(struct run_state *run, struct plan_case **taken, struct err *err) {
  struct plan *others = &run->planning.others;
  *taken = NULL;
  while (others->count > 0 && *taken == NULL && !is_to_end(&run->devices)) {
    struct plan_case *other = &others->cases[--others->count];
    if (claims_whose(run->planning.claims, other->number) != 0 || !time_budget_admits(&run->budget, other)) {
      plan_case_free(other);
      continue;
    }
    struct plan_case *p = add_taken(&run->planning.plan, other, run->progress, &run->recording.environment);
    if (claim_own(run, p, err) != 0) return -1;
    if (!p->gone) *taken = p;
  }
  if (*taken == NULL) return 0;
  if (!run->options->common.quiet)
    fprintf(stderr, "gpubench: taken over from job %u: %s\n", (*taken)->shard, (*taken)->key);
  return ask_supports(&run->devices.pool, *taken, 1, err);
}
