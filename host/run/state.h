/* One run's state, shared by the files that carry it from selection to rows, in the order of run.c. */
#ifndef RUN_STATE_H
#define RUN_STATE_H

#include "ask/run_case.h"
#include "machine/cpu_times.h"
#include "record/base_run.h"
#include "record/foreign.h"
#include "run/devices.h"
#include "run/planning.h"
#include "run/progress.h"
#include "run/recording.h"
#include "run/remembered.h"

/* What a run is compared with: read before anything is measured, so that a slip costs nothing. */
struct comparison {
  struct base_run against;     /* what --against names */
  struct foreign_rows foreign; /* of --foreign; gone when they are kept */
};

/* What a run's time is made of. */
enum run_piece { PIECE_PLANNING, PIECE_CEILINGS, PIECE_CASES, PIECE_RESERVE, PIECE_SLOWER, PIECE_END, RUN_PIECES };

/* When it has to end; INT64_MAX: never. */
struct run_limit {
  int64_t ends_ns, turn_ends_ns; /* of measuring: of all devices, and of the one whose turn it is */
  int64_t latest_ns;             /* what calls may count on: the end that the plan has announced */
  int64_t waited_ns;             /* for other runs, so far */
  double seconds, first_s;       /* of the whole run, as it is said now and by the plan; INFINITY: none is said */
  double spent_s;                /* by processes of cases that are over */
  uint32_t processes;            /* so many */
  double added_s;                /* that more processes of cases before are still to take */
  bool by_user;                  /* by --max-time */
  double announced_s[RUN_PIECES], taken_s[RUN_PIECES]; /* of the reserve: by processes that were added */
  double due_s;                                        /* that the ceilings so far were promised */
  double least_due_s, needed_s;                        /* that rows so far were reckoned to need at least, and did */
  double busy;        /* so many times as long as on an idle machine do things take, by what was seen at the start */
  double share, load; /* of the processors there was so much for us, beside so many threads */
  double enough_s;    /* what is announced where the user gives no time */
  char longest[KEY_SIZE];           /* the case that took the most beyond what it was promised; empty: none did */
  double longest_s, longest_over_s; /* what it took, and how much of that was beyond */
  char why[TEXT_SIZE];              /* what rows say that it left out */
};

/* The ceilings of the device whose turn it is, from former runs and for later ones. */
struct run_yardsticks {
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

#define CALIBRATE "calibrate" /* the plugin whose benches are yardsticks */

/* What --isolate takes at most at a time. */
struct run_isolated {
  size_t processes;
  double most_bytes; /* of tensors */
};

struct run_state {
  const struct options *options;
  struct isolation isolation;
  struct run_isolated isolated;
  struct planning planning;
  struct run_devices devices;
  struct recording recording;
  struct comparison comparison;
  struct progress *progress;
  struct run_yardsticks yardsticks;
  int64_t started_ns;
  struct run_limit limit;
  struct cpu_times begun; /* when the run began */
  bool talks;             /* header, plan and yardsticks go to stdout */
  bool planned;           /* stdout has the plan */
};

/* The one whose turn it is. */
static inline struct run_device *run_device(const struct run_state *run) {
  return &run->devices.all[run->devices.turn];
}

/* Is it a shard without a case? It measures nothing, and is whole. */
static inline bool run_is_empty(const struct run_state *run) {
  return run->planning.shard.of > 0 && run->planning.plan.count == 0;
}

/* How a case is to be run. */
static inline struct run_case_settings run_settings(const struct run_state *run, const struct plan_case *p) {
  return request_settings(run->options, &run->planning.catalog.plugins[p->plugin].benches[p->bench], p);
}

/* run/plan_cases.c: the cases of a device; asks every `supports`. */
int run_plan_cases(struct run_state *run, struct err *err);
/* Where words lack processes. */
uint32_t run_restarts_most(const struct plan_case *plan_case);

/* run/limit.c: how long the run may take, from when it began: --max-time (NaN: none); or what is planned, which is what
 * the run announces where the user gave none. Waiting for other runs is not its time. Each device has its share. */
void run_limit_by_user(struct run_state *run, double seconds);
void run_limit_by_plan(struct run_state *run);
void run_limit_share(struct run_state *run);
void run_limit_shift(struct run_state *run, int64_t ns);
/* When a case is over: what it left and those after it are not promised is no longer announced, but for the reserve. */
void run_limit_restate(struct run_state *run, const struct plan_case *done);
bool run_limit_is_over(const struct run_state *run);
/* Is there only time for cases that were asked for, and this is a ceiling's? */
bool run_limit_is_short(const struct run_state *run, const struct plan_case *plan_case);
/* Is there time for a case more than was planned, when the others are over? Then it is announced. */
bool run_limit_admits(struct run_state *run, const struct plan_case *plan_case);
/* When a case is to end that begins now; 0: whenever it does. */
int64_t run_limit_until(const struct run_state *run, const struct plan_case *plan_case);
/* By when it has to have ended, whatever its rows lack, for those after it to have time; 0: whenever it does. */
int64_t run_limit_last(const struct run_state *run, const struct plan_case *plan_case, bool *others_wait);
/* When looking at a case's variants alone is to end, which begins now; 0: whenever it does. */
int64_t run_limit_alone_until(const struct run_state *run, const struct plan_case *plan_case);
/* Why a case is not run for which there is no time; and a limit that should have room for all. */
void run_limit_why(const struct run_state *run, const struct plan_case *plan_case, char *to, size_t size);
double run_limit_enough_s(const struct run_state *run);
/* What a row says whose rounds are too few for words, for want of time. */
void run_limit_few(const struct run_state *run, struct record *row);
/* What the rows of a case could not do without. */
void run_limit_needed(struct run_state *run, const struct plan_case *plan_case, double seconds);
/* What a case has taken, without processes that were added. */
void run_limit_took(struct run_state *run, const struct plan_case *plan_case, double seconds);
/* What processes of a case have taken. */
void run_limit_note(struct run_state *run, double seconds, uint32_t processes);
/* Seconds that a case may take on top, of whose processes one took so long: nobody who comes after it needs them. */
double run_limit_spare_s(const struct run_state *run, const struct plan_case *plan_case, double process_s);
/* When variants of the case, which has time until then, are no longer tried apart; 0: never. */
int64_t run_limit_trials_until(const struct run_state *run, const struct plan_case *p, int64_t until_ns);

/* run/reckon.c: what a case is reckoned to take, by nothing but the plan, as long on every machine. */
double run_limit_reckoned_s(const struct run_state *run, const struct plan_case *plan_case);
/* On this machine now: what it is promised; without which its rows cannot stand; and, of what comes after its samples,
 * for its joules. */
double run_reckon_promised_s(const struct run_state *run, const struct plan_case *plan_case);
double run_reckon_least_s(const struct run_state *run, const struct plan_case *plan_case);
double run_reckon_energy_s(const struct run_state *run, const struct plan_case *plan_case);
/* So many times as long as on an idle machine do things take, as was looked at before the plan was announced. */
void run_busy_look(struct run_state *run);
double run_busy(const struct run_state *run);
/* Does the device rest between slots? */
bool run_rests(const struct run_state *run);

/* run/hangs.c: sets when what is left to a case's calls is over; until then, or `trials_ns`, variants may be tried
 * apart. Takes who did not return in it, who is left out of later cases when it has been enough. How long a run that
 * times nothing may take. */
int64_t run_hangs_bound(struct run_state *run, const struct plan_case *plan_case, int64_t trials_ns);
double run_hangs_verifying_s(const struct run_state *run);
void run_hangs_note(struct run_state *run, const struct plan_case *plan_case, const struct case_result *result);

/* run/turns.c: which devices there are. From here to run_turns_next() one of them has its turn: the plan is its
 * own, then its lock is held. */
int run_turns_find(struct run_state *run, struct err *err);
int run_turns_plan(struct run_state *run, struct err *err);
int run_turns_lock(struct run_state *run, struct err *err);
int run_turns_next(struct run_state *run, bool *more, struct err *err);
/* What run.ini keeps of the device whose turn it is; all that it keeps. */
void run_turns_note(struct run_state *run);
int run_turns_write_ini(struct run_state *run, struct err *err);

/* run/roofs.c: takes those that --roofs names, which must be of such a device; writes down those that are known. */
int run_roofs_take(struct run_state *run, struct err *err);
void run_roofs_record(struct run_state *run);

/* run/yardsticks.c: what is remembered of the device, and the case that checks it, cut to its best variant until
 * run_yardsticks_checked(); NULL: nothing is. */
struct plan_case *run_yardsticks_recall(struct run_state *run);
void run_yardsticks_checked(struct run_state *run);
/* Takes what a yardstick has shown. False: it showed that what is remembered does not hold, and is no row. */
bool run_yardsticks_take(struct run_state *run, const struct plan_case *plan_case, const struct record *records);
/* Will ceilings be taken from a former run, as far as can be told without looking into what it left? */
bool run_yardsticks_expected(const struct run_state *run);
/* Is this one's ceiling remembered, and holds? */
bool run_yardsticks_know(const struct run_state *run, const struct plan_case *plan_case);
/* For later runs. */
void run_yardsticks_keep(struct run_state *run);
/* Which ceiling it is the yardstick of; CEILINGS: of none. */
size_t run_yardstick_of(const struct run_state *run, const struct plan_case *plan_case);

/* run/take_up.c: takes the run of --resume up, and its options with it; whether it may be gone on with; makes its files
 * ready. Notes down what a later --resume needs. */
int run_resume_begin(struct run_state *run, struct options *options, struct err *err);
int run_resume_check(struct run_state *run, struct err *err);
int run_resume_repair(struct run_state *run, struct err *err);
void run_resume_note(struct run_state *run);
void run_resume_free(struct run_state *run);
/* What is there of the case; NULL: this is a new run. */
const struct resume_case *run_resume_case(const struct run_state *run, const struct plan_case *plan_case);
/* Counts the rows that are there, and takes ceilings and floors from them. */
void run_resume_keep(struct run_state *run, const struct plan_case *plan_case, const struct resume_case *kept);

/* run/isolate.c, where --isolate asks for it: finds what can be had here, before any plugin is looked at; leaves out
 * cases for which there is not enough memory; notes down and prints what is kept from plugins. */
int run_isolate(struct run_state *run, struct err *err);
int run_isolate_plan(struct run_state *run, struct err *err);
void run_isolate_note(struct run_state *run);
void run_isolate_print(const struct run_state *run, FILE *out);

/* run/take_over.c: jobs that run at the same time. Each claims its cases before it begins them, and one that is done
 * takes over what others have not begun. Finds out whether this is one; which of its cases others have by now, which
 * are `gone` then. */
void run_jobs_find(struct run_state *run);
void run_jobs_look(struct run_state *run);
/* Before a case is begun. It may be gone then. */
int run_jobs_claim(struct run_state *run, struct plan_case *plan_case, struct err *err);
/* A case of another job, which is the last of the plan from now on; NULL: there is none, or no time for it. */
int run_jobs_take_over(struct run_state *run, struct plan_case **taken, struct err *err);

/* run/foreign.c: reads what --foreign names; puts it into the directory. */
int run_foreign_load(struct run_state *run, struct err *err);
int run_foreign_keep(struct run_state *run, struct err *err);

/* run/against.c: reads what --against names, before anything else is done; sees that it has something of the plan;
 * finds `last`, once no other run is under way. Notes down which run it is. */
int run_against_load(struct run_state *run, struct err *err);
int run_against_check(struct run_state *run, struct err *err);
int run_against_last(struct run_state *run, struct err *err);
void run_against_note(struct run_state *run);

/* run/note.c: what run.ini says of the run as a whole, before anything is measured; and the floors of a device. */
void run_note(struct run_state *run, const char *name, int argc, char **argv);
void run_note_floors(struct run_state *run);
/* For how many words a case of a shard is the evidence; what a former run.ini says of that, nothing if it does not. */
void run_note_words(struct run_state *run, const struct plan_case *plan_case);
int run_noted_words(const struct resume *former, const struct plan_case *plan_case, uint32_t *words, struct err *err);

/* run/announce.c: what stdout shows before the tables; of each device when its turn comes. */
void run_print_header(const struct run_state *run);
void run_print_device(const struct run_state *run);
void run_print_yardsticks(const struct run_state *run);
void run_print_plan(const struct run_state *run);
void run_print_cases(const struct run_state *run);
/* Of what the announced time was made, and what it came to: on stderr, when all is done. */
void run_print_pieces(const struct run_state *run);

#endif
