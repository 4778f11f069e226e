/* Callbacks of a case: begun, ended, and what they said. */
#ifndef CASE_CALLS_H
#define CASE_CALLS_H

#include "case/case.h"
#include "model/rule.h"

/* How a callback ended. */
enum outcome_kind { OUTCOME_OK, OUTCOME_SKIP, OUTCOME_NO_MEMORY, OUTCOME_FAIL };

struct outcome {
  enum outcome_kind kind;
  bool device;            /* it was a device call that failed, it says */
  enum rule rule;         /* that it breaks by how it ended, whatever it was about */
  char message[MSG_SIZE]; /* not empty unless OUTCOME_OK */
};

/* Around every callback: `call_begin` marks the phase and forgets former messages, `call_end` judges status and
 * message, and looks at what it has left changed of the process: what a variant's callbacks have is in `finding` until
 * somebody takes it, with both names where it may have been `before` as well as `run`; what the bench's callbacks have
 * is put back with a warning, or fails them. */
void call_begin(struct gb_case *c, enum phase phase, int owner);
void call_end(struct gb_case *c, gb_status status, struct outcome *outcome);

/* Waits for the device, between callbacks in the name of the last one: what it has left there may never end. */
int call_sync(struct gb_case *c, struct err *err);

/* Who looks on: NULL, nobody. A callback has been entered, or has ended: what it printed, and left changed, is to be
 * seen before the next. */
struct call_watch {
  void (*begins)(void);
  void (*ended)(const struct gb_case *c, const struct outcome *outcome, const struct process_state_finding *finding);
};
extern const struct call_watch *call_watch;

/* Within one: the same owner's other callback is entered. */
void call_turn(struct gb_case *c, enum phase phase);

/* Hears that a callback of this variant, or of the bench (OWNER_BENCH), has ended; NULL: nobody does. Set once by the
 * worker. */
extern void (*call_turn_ended)(int owner);
/* Where a warning that concerns no variant goes; NULL: nowhere. Likewise. */
extern void (*case_warn)(const char *text);

/* The plugin whose callback runs; `verify` is the bench's, whoever is judged. */
const struct plugin *case_caller(const struct gb_case *c);

/* Records a message of the running callback; the first wins. A misuse fails the callback whatever it returns. */
void case_message(struct gb_case *c, const char *text);
/* False: a service was given no case, which fails the callback that runs. `slot`: "gb.case/1 i64". */
bool case_is(const struct gb_case *c, const char *slot);
void case_misuse(struct gb_case *c, const char *format, ...) ERR_PRINTF(2, 3);

#endif
