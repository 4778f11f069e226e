/* Measures the cases of a device. A case is first measured in the planned number of worker processes, and then in
 * further ones if its verdicts need them. Its rows are recorded after that. */
#include "run/cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ask/run_case.h"
#include "base/clock.h"
#include "base/memory.h"
#include "budget/hangs.h"
#include "run/alone.h"
#include "run/plan_cases.h"
#include "run/take_over.h"
#include "stats/stats.h"
#include "worker/signals.h"

/* A case being measured. */
struct case_run {
  struct run_state *run;
  const struct plan_case *p;
  struct run_case_settings settings;
  struct epoch epoch;
  struct case_result result;
  struct record *records;
  bool made; /* true if `records` are made from all results so far */
  bool open; /* true if a worker was asked to measure the case, so that ask_end() must be called */
  bool late; /* true if there was no time for the case, or not enough */
  /* true if a signal came before the case's verdicts were checked by measuring variants alone */
  bool unchecked;
  bool cut; /* true if a signal came before the planned processes of the case had ended */
  int rc;
  struct err lost; /* valid if rc is not 0 */
  double each_s;   /* how long one process of the case took */
  double taken_s;  /* how long all processes of the case took */
  double judged_s; /* how long deciding took whether the verdicts of the case need more processes */
  uint32_t more;   /* number of processes that the case will still get */
};

/* Cases that are measured but not recorded yet. */
struct held {
  struct case_run *cases[CASES_HELD];
  size_t count;
  /* seconds: how long measuring these cases took; judging_s: how long making their rows took */
  double seconds, judging_s;
};

/* Limits for holding cases. A held case is measured, but not recorded yet, because a further process may measure it
 * together with other held cases. The held cases are finished when measuring them took more than `held_most_s`:
 * starting a process then costs little in comparison. They are also finished when making their rows would take more
 * than `judging_most_s`: rows are made even after a signal or when the time is over, and must not take long then. */
static const double held_most_s = 10, judging_most_s = 0.5;

static void count_rows(struct recording *r, const struct plan_case *p, const struct case_result *result) {
  for (size_t i = 0; i < p->variant_count; i++) {
    recording_count(r, &p->variants[i], result->variants[i].status, result->variants[i].message);
    r->unfound += result->variants[i].unfound;
  }
}

static void keep_slot(void *user, const struct plan_case *p, size_t variant, const struct slot *slot) {
  struct run_state *run = user;
  recording_add_slot(&run->recording, p, (size_t)(p - run->planning.plan.cases), variant, slot);
}

static void not_run(const struct plan_case *p, struct case_result *result, const char *why) {
  *result =
      (struct case_result){.variants = xcalloc(p->variant_count, sizeof *result->variants), .count = p->variant_count};
  for (size_t i = 0; i < p->variant_count; i++) {
    result->variants[i] = VARIANT_RESULT_NONE;
    text_copy(result->variants[i].message, sizeof result->variants[i].message, why);
  }
}

/* Reports that a case got no worker. If the device is the cause, marks the device as lost, because later cases would
 * fail as well. */
static void note_loss(struct run_devices *devices, const struct err *lost) {
  if (signals_asked_to_finish()) return; /* the run ends, so no worker is needed any more */
  fprintf(stderr, "gpubench: %s\n", lost->text);
  if (lost->exit_code == EXIT_DEVICE) run_device(devices)->lost = *lost;
}

/* ---- Running the planned processes of a case ---- */

/* Returns true if the correction for multiple comparisons, which depends on the number of verdicts in the run, could
 * remove a verdict of this case. */
static bool may_fall(const struct plan_case *p, const struct record *records) {
  for (size_t i = 0; i < p->variant_count; i++) {
    const bool differs = text_same(records[i].verdict, stats_verdict_name(VERDICT_FASTER)) ||
                         text_same(records[i].verdict, stats_verdict_name(VERDICT_SLOWER));
    if (differs && records[i].speedup_p * (double)p->verdicts > STATS_FAMILY_ERROR) return true;
  }
  return false;
}

/* Makes the records of the case. Returns true if a verdict needs more processes. */
static bool analyse(struct case_run *c) {
  c->made = true;
  return analyse_case(c->p, &c->result, &c->run->recording.identity, c->records) || may_fall(c->p, c->records);
}

static void forget_records(struct case_run *c) {
  for (size_t i = 0; i < c->p->variant_count && c->made; i++)
    record_free(&c->records[i]);
  c->made = false;
}

/* Returns the number of processes to add to the case: the most that its verdicts may need, if there is time for all of
 * them; otherwise 0. */
static uint32_t more_processes(struct case_run *c) {
  const uint32_t more = run_restarts_most(c->p) - c->p->restarts;
  const int64_t began_ns = clock_now_ns();
  if (c->p->restarts_fixed || more == 0 || c->rc != 0 || signals_asked_to_finish() || !analyse(c)) return 0;
  c->judged_s = clock_seconds_since(began_ns);
  return more * c->each_s <= time_budget_spare_s(&c->run->budget, c->p, c->each_s) ? more : 0;
}

static const char short_of_time[] = "what time is left is for the cases that were asked for: --max-time allows more";

static void ask_planned(struct case_run *c) {
  struct run_state *run = c->run;
  const struct plan_case *p = c->p;
  c->late = time_budget_is_over(&run->budget) || time_budget_is_short(&run->budget, p);
  if (run_device(&run->devices)->lost.exit_code != 0) {
    not_run(p, &c->result, run_device(&run->devices)->lost.text);
  } else if (signals_last() != 0) {
    not_run(p, &c->result, "interrupted");
  } else if (c->late) {
    char why[MSG_SIZE];
    time_budget_why(&c->run->budget, c->p, why, sizeof why);
    not_run(c->p, &c->result, time_budget_is_over(&c->run->budget) ? why : short_of_time);
  } else {
    c->open = true;
    ask_begin(&c->epoch, p, &c->settings, &c->result);
    c->rc = ask_first_processes(&run->devices.pool, &c->epoch, &c->lost);
    hangs_note(&run->planning.plan, p, &c->result);
    if (c->rc != 0) note_loss(&run->devices, &c->lost);
  }
  c->cut = signals_last() != 0;
}

/* Returns how many seconds the case took, without the rounds beyond ROUNDS_LEAST, which only improve the precision. */
static double case_needed_s(const struct case_run *c) {
  const struct case_report *report = &c->result.report;
  const double least = report->rounds > ROUNDS_LEAST ? ROUNDS_LEAST / (double)report->rounds : 1;
  return fmax(0, c->taken_s - (1 - least) * report->seconds_sampling);
}

/* Measures a case in its planned processes, and decides how many more processes it gets. Records nothing yet. */
static struct case_run *measure_one_case(struct run_state *run, const struct plan_case *p) {
  const int64_t began_ns = clock_now_ns();
  struct case_run *c = xcalloc(1, sizeof *c);
  *c = (struct case_run){.run = run, .p = p, .settings = time_budget_settings(&run->budget, p)};
  c->records = xcalloc(p->variant_count, sizeof *c->records);
  c->settings.slot = keep_slot;
  c->settings.user = run;
  c->settings.until_ns = time_budget_until(&run->budget, p);
  c->settings.last_ns = time_budget_last(&run->budget, p, &c->settings.others_wait);
  hangs_limit_calls(&run->budget, p);
  const int64_t suspects_ns = time_budget_suspects_until(&run->budget, p, c->settings.until_ns);
  c->settings.suspects_until_ns = hangs_suspects_until(&run->budget, suspects_ns);
  c->settings.epochs_used = run->recording.epochs[p - run->planning.plan.cases];
  progress_case_begins(run->progress, p);
  ask_planned(c);
  c->taken_s = clock_seconds_since(began_ns);
  c->each_s = c->taken_s / p->restarts;
  if (c->open) time_budget_took(&run->budget, p, c->taken_s);
  if (c->open && !p->yardstick) time_budget_needed(&run->budget, p, case_needed_s(c));
  if (c->open) c->more = more_processes(c);
  if (!p->yardstick && !c->late)
    time_budget_note(&run->budget, clock_seconds_since(began_ns), c->open ? c->epoch.restart : 1);
  c->late = c->late || signals_out_of_time();
  return c;
}

/* ---- Checking verdicts by measurements alone ---- */

/* Checks the verdicts of a case by measuring variants alone. The check takes some of the case's time, but adds nothing
 * to the figures of its rows. */
static void check_alone(struct case_run *c) {
  struct run_state *run = c->run;
  const struct plan_case *p = c->p;
  const int64_t began_ns = clock_now_ns();
  if (!c->open || c->rc != 0 || p->yardstick || run->options->run.isolate)
    return; /* with --isolate each provider has a separate process already */
  if (!c->made) analyse(c);
  const uint32_t used = run->recording.epochs[p - run->planning.plan.cases];
  const struct alone_check check = {.budget = &run->budget,
                                    .p = p,
                                    .settings = &c->settings,
                                    .result = &c->result,
                                    .records = c->records,
                                    .epoch = used > c->epoch.number ? used : c->epoch.number,
                                    .taken_s = c->taken_s};
  c->unchecked = !alone_check(&check);
  const double taken_s = clock_seconds_since(began_ns);
  c->taken_s += taken_s;
  run->budget.taken_s[PIECE_CASES] += taken_s;
}

/* ---- Recording rows ---- */

/* Writes into the row the --max-time that would probably be enough. Called for a variant that the worker left out
 * because its calls take too long; the worker also reported how long the variant needs. */
static void note_too_slow(const struct case_run *c, size_t i) {
  char text[MSG_SIZE];
  snprintf(text, sizeof text, "%.300s: --max-time %.0fs should do", c->result.variants[i].message,
           ceil(time_budget_enough_s(&c->run->budget) + c->result.variants[i].needs_s));
  record_set(&c->records[i].message, text);
}

/* Writes into the row that time was over while the case was being measured, or before it began. */
static void out_of_time(const struct case_run *c, size_t i) {
  char why[MSG_SIZE];
  time_budget_why(&c->run->budget, c->p, why, sizeof why);
  if (!c->p->yardstick && signals_out_of_time()) record_set(&c->records[i].message, why);
}

/* Marks the rows of a case so that --resume measures the case again, if an interruption prevented some of its processes
 * or a worker was killed from outside. */
static void mark_case(const struct case_run *c) {
  const bool waits = c->more > 0 && signals_last() != 0;
  for (size_t i = 0; i < c->p->variant_count; i++) {
    struct record *record = &c->records[i];
    const bool measured = !isnan(record->median_raw_ns), cut = c->cut && record->restarts < (int64_t)c->p->restarts;
    const struct variant_result *v = &c->result.variants[i];
    const bool slow = v->needs_s > 0, late = c->late && v->status == ROW_NOT_RUN && !v->unfound;
    if (slow)
      note_too_slow(c, i);
    else if (late)
      out_of_time(c, i);
    if (late || slow) record_set(&record->stop_reason, c->run->budget.by_user ? "max_time" : "budget");
    if ((measured && (cut || waits || c->unchecked)) || c->result.variants[i].killed)
      record_set(&record->stop_reason, "interrupted");
    if (measured) record->precision = c->settings.precision;
    if (measured && !c->p->yardstick) time_budget_few(&c->run->budget, record);
  }
}

/* Ends a case: checks its verdicts by measuring variants alone, writes its rows, and frees it. */
static int record_and_free(struct case_run *c, struct err *err) {
  struct run_state *run = c->run;
  const struct plan_case *p = c->p;
  if (c->open) ask_end(&c->epoch, c->rc, &c->lost);
  if (!c->made) analyse(c);
  check_alone(c);
  mark_case(c);
  if (c->result.report.launch_overhead_ns > 0)
    run->devices.overheads[p->mode.timing].ns = c->result.report.launch_overhead_ns;
  const bool counts = !p->yardstick || yardsticks_take(&run->yardsticks, p, c->records, run->recording.dir.run_id,
                                                       &run->recording.identity.ceilings);
  int rc = counts ? recording_add(&run->recording, c->records, &c->result, err) : 0;
  if (!p->yardstick) count_rows(&run->recording, p, &c->result);
  progress_case_ends(run->progress, p, c->records);
  forget_records(c);
  free(c->records);
  case_result_free(&c->result);
  free(c);
  return rc;
}

/* ---- Measuring a case in more processes than planned, because its verdicts are undecided ---- */

/* Returns when the additional process of this case must end; 0: no limit. All held cases (measured, but not recorded
 * yet) share the spare time, in proportion to how long their additional processes are expected to take. */
static int64_t added_until_ns(const struct held *held, const struct case_run *c) {
  const struct run_state *run = c->run;
  const double added_s = run->budget.added_s;
  const double spare_s = added_s + time_budget_spare_s(&run->budget, held->cases[held->count - 1]->p, c->each_s);
  return isfinite(spare_s) ? clock_now_ns() + (int64_t)(spare_s * c->each_s / added_s * 1e9) : 0;
}

static void add_process(struct held *held, struct case_run *c) {
  struct run_state *run = c->run;
  const int64_t began_ns = clock_now_ns();
  progress_case_begins(run->progress, c->p);
  forget_records(c);
  hangs_limit_calls(&run->budget, c->p);
  c->rc = ask_next_process(&run->devices.pool, &c->epoch, added_until_ns(held, c), &c->lost);
  c->more = c->rc == 0 ? c->more - 1 : 0;
  c->late = c->late || signals_out_of_time();
  run->budget.added_s -= c->each_s;
  if (c->rc != 0) note_loss(&run->devices, &c->lost);
  const double taken_s = clock_seconds_since(began_ns);
  c->taken_s += taken_s;
  run->budget.taken_s[PIECE_RESERVE] += taken_s;
  time_budget_note(&run->budget, taken_s, 1);
}

/* Lets one more process measure each held case that needs one. That is a new worker, which has measured none of these
 * cases before. */
static bool add_processes(struct held *held) {
  bool any = false;
  for (size_t i = 0; i < held->count; i++) {
    struct case_run *c = held->cases[i];
    if (c->more == 0 || signals_asked_to_finish() || run_device(&c->run->devices)->lost.exit_code != 0) continue;
    if (!any) pool_restart(&c->run->devices.pool);
    any = true;
    add_process(held, c);
  }
  return any;
}

static int release_held(struct run_state *run, struct held *held, struct err *err) {
  int rc = 0;
  while (add_processes(held))
    continue;
  run->budget.added_s = 0;
  for (size_t i = 0; i < held->count; i++) {
    struct err other = {0};
    if (record_and_free(held->cases[i], rc == 0 ? err : &other) != 0) rc = -1;
  }
  *held = (struct held){0};
  return rc;
}

/* ---- Going through the cases ---- */

static bool keep_former(struct run_state *run, const struct plan_case *p) {
  const struct resume *former = run->recording.resumed;
  if (!resume_has_case(former, &run->planning.plan, p)) return false;
  recording_keep(&run->recording, p, resume_find_case(former, &run->planning.plan, p)->rows, run->devices.overheads);
  run->progress->done++;
  return true;
}

int run_cases_yardsticks(struct run_state *run, struct err *err) {
  struct pairs *device = &run_device(&run->devices)->environment;
  struct plan_case *check = yardsticks_recall(&run->yardsticks, device, &run->recording.environment);
  int rc = check != NULL ? record_and_free(measure_one_case(run, check), err) : 0;
  yardsticks_checked(&run->yardsticks, &run->recording.identity.ceilings);
  /* the case that checked the remembered ceilings is not counted as done here, because the loop below counts it */
  if (check != NULL) run->progress->done--;
  for (size_t i = 0; i < run->planning.plan.count && rc == 0; i++) {
    const struct plan_case *p = &run->planning.plan.cases[i];
    if (!p->yardstick) continue;
    if (yardsticks_know(&run->yardsticks, p))
      run->progress->done++;
    else if (!keep_former(run, p))
      rc = record_and_free(measure_one_case(run, p), err);
  }
  yardsticks_end(&run->yardsticks, &run->recording.identity.ceilings, device);
  return rc;
}

/* Adds a case to the held cases, which are measured but not recorded yet. Returns true if they should be finished and
 * recorded now, because none of them needs another process or enough cases are held. */
static bool hold_case(struct held *held, struct case_run *c) {
  struct time_budget *limit = &c->run->budget;
  held->cases[held->count++] = c;
  held->seconds += c->each_s * c->p->restarts;
  held->judging_s += c->judged_s * (c->p->restarts + c->more) / c->p->restarts;
  limit->added_s += c->more * c->each_s;
  return limit->added_s <= 0 || held->count == CASES_HELD || held->seconds > held_most_s ||
         held->judging_s > judging_most_s;
}

static void tell_limit(struct progress *progress, const struct time_budget *budget) {
  progress_limit(progress, budget->started_ns + budget->waited_ns, budget->seconds);
}

/* Takes over cases of other jobs (runs that measure other parts of the same plan) and measures them. Each case is taken
 * when the one before has ended, because the other jobs may begin their remaining cases meanwhile. */
static int measure_others(struct run_state *run, struct err *err) {
  struct plan_case *p;
  int rc;
  while ((rc = run_jobs_take_over(run, &p, err)) == 0 && p != NULL) {
    struct held held = {0};
    tell_limit(run->progress, &run->budget);
    hold_case(&held, measure_one_case(run, p));
    if (release_held(run, &held, err) != 0) return -1;
  }
  return rc;
}

int run_cases_asked(struct run_state *run, struct err *err) {
  struct held held = {0};
  int rc = 0;
  for (size_t i = 0; i < run->planning.plan.count && rc == 0; i++) {
    struct plan_case *p = &run->planning.plan.cases[i];
    if (p->yardstick || keep_former(run, p)) continue;
    rc = run_jobs_claim(&run->planning, p, run->progress, err);
    if (rc != 0 || p->gone) continue;
    if (hold_case(&held, measure_one_case(run, p))) rc = release_held(run, &held, err);
    time_budget_restate(&run->budget, p);
    tell_limit(run->progress, &run->budget);
  }
  if (release_held(run, &held, err) != 0) rc = -1;
  return rc == 0 ? measure_others(run, err) : -1;
}

void run_cases_profile(struct run_state *run) {
  for (size_t i = 0; i < run->planning.plan.count && run_device(&run->devices)->lost.exit_code == 0; i++) {
    const struct plan_case *p = &run->planning.plan.cases[i];
    const struct run_case_settings settings = time_budget_settings(&run->budget, p);
    struct case_result result;
    struct err lost = {0};
    if (ask_run_case(&run->devices.pool, p, &settings, &result, &lost) != 0) note_loss(&run->devices, &lost);
    for (size_t v = 0; v < p->variant_count; v++) {
      const struct variant_result *one = &result.variants[v];
      bool ok = one->status == ROW_OK;
      printf("%s %s: %s%s%s\n", p->key, p->variants[v].name, ok ? "launched" : row_status_name(one->status),
             one->message[0] ? ": " : "", one->message);
    }
    count_rows(&run->recording, p, &result);
    case_result_free(&result);
  }
}
