/* Who is done takes over what others have not begun: cases end when they are precise, which no plan knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/supports.h"
#include "base/memory.h"
#include "base/tree.h"
#include "plan/build.h"
#include "plan/claims.h"
#include "run/state.h"
#include "worker/signals.h"

/* ---- What is left of its own ---- */

/* The folder lies beside the directory of each job. The last one is alone, and keeps what it has. */
void run_jobs_find(struct run_state *run) {
  struct planning *planning = &run->planning;
  const bool resumed = run->recording.resumed != NULL, job = resumed || run->options->run.jobs != NULL;
  const char *own = resumed ? run->recording.dir.path : run->options->outputs.out,
             *slash = own ? strrchr(own, '/') : NULL;
  if (!job || slash == NULL || planning->shard.number == planning->shard.of || planning->claims != NULL) return;
  planning->claims = memory_print("%.*s/claims", (int)(slash - own), own);
  if (access(planning->claims, F_OK) == 0) return;
  free(planning->claims);
  planning->claims = NULL;
}

static void lose(struct run_state *run, struct plan_case *p, uint32_t whose) {
  p->gone = true;
  run->progress->total--;
  if (!run->options->common.quiet) fprintf(stderr, "gpubench: taken over by job %u: %s\n", whose, p->key);
}

void run_jobs_look(struct run_state *run) {
  for (size_t i = 0; run->planning.claims != NULL && i < run->planning.plan.count; i++) {
    struct plan_case *p = &run->planning.plan.cases[i];
    const uint32_t whose = p->yardstick || p->gone ? 0 : claims_whose(run->planning.claims, p->number);
    if (whose != 0 && whose != run->planning.shard.number) lose(run, p, whose);
  }
}

/* Of a job that was resumed its share is not known, nor needed: what it took over it claimed before. */
static int claim(const struct run_state *run, const struct plan_case *p, uint32_t *whose, struct err *err) {
  const uint32_t by = run->planning.shard.number, of = p->shard > 0 ? p->shard : by;
  return claims_take(run->planning.claims, p->number, by, of, whose, err);
}

int run_jobs_claim(struct run_state *run, struct plan_case *p, struct err *err) {
  uint32_t whose;
  if (run->planning.claims == NULL) return 0;
  run_jobs_look(run);
  if (p->gone) return 0;
  if (claim(run, p, &whose, err) != 0) return -1;
  if (whose != run->planning.shard.number) lose(run, p, whose);
  return 0;
}

/* ---- What is left of others ---- */

static struct plan_case *add(struct run_state *run, const struct plan_case *other) {
  struct plan *plan = &run->planning.plan;
  struct plan_case *p = &plan->cases[plan->count++]; /* for which plan_cut() has left room */
  *p = *other;
  run->progress->total++;
  run_note_words(run, p);
  return p;
}

/* Its directory has the case before it is claimed, on the disk too: killed at any moment, whoever has claimed it can go
 * on with it, and what it has not claimed is not its own. */
static int take(struct run_state *run, struct plan_case *p, struct err *err) {
  uint32_t whose;
  if (run_turns_write_ini(run, err) != 0) return -1;
  tree_settle(run->recording.dir.path);
  if (claim(run, p, &whose, err) != 0) return -1;
  if (whose == run->planning.shard.number) return 0;
  p->gone = true;
  run->progress->total--;
  return 0;
}

static bool is_to_end(const struct run_state *run) {
  return signals_last() != 0 || signals_asked_to_finish() || run_device(run)->lost.exit_code != 0;
}

/* From the plan's end, to which the others come last. */
int run_jobs_take_over(struct run_state *run, struct plan_case **taken, struct err *err) {
  struct plan *others = &run->planning.others;
  *taken = NULL;
  while (others->count > 0 && *taken == NULL && !is_to_end(run)) {
    struct plan_case *other = &others->cases[--others->count];
    if (claims_whose(run->planning.claims, other->number) != 0 || !run_limit_admits(run, other)) {
      plan_case_free(other);
      continue;
    }
    struct plan_case *p = add(run, other);
    if (take(run, p, err) != 0) return -1;
    if (!p->gone) *taken = p;
  }
  if (*taken == NULL) return 0;
  if (!run->options->common.quiet)
    fprintf(stderr, "gpubench: taken over from job %u: %s\n", (*taken)->shard, (*taken)->key);
  return ask_supports(&run->devices.pool, *taken, 1, err);
}
