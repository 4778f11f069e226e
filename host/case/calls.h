/* The work of the host before and after every call of a plugin's callback: it marks the callback on the status page
 * (memory that the parent process reads after a crash), judges the returned status and message, and checks what the
 * callback changed in the process. */
#pragma once

#include "case/case.h"
#include "model/rule.h"

/* How a callback ended. */
enum outcome_kind { OUTCOME_OK, OUTCOME_SKIP, OUTCOME_NO_MEMORY, OUTCOME_FAIL };

struct outcome {
  enum outcome_kind kind;
  bool device;            /* the callback says that a device call failed */
  enum rule rule;         /* the rule that the callback broke by the way it ended; RULE_NONE: none */
  char message[MSG_SIZE]; /* the reason; empty only with OUTCOME_OK */
};

/* Call call_begin() before every callback and call_end() after it. call_begin() marks the phase on the status page and
 * drops messages of earlier callbacks. call_end() judges the returned status and message, and what the callback changed
 * in the process. A variant's change is stored in gb_case.finding, if that is empty. A bench's change is undone with a
 * warning, or fails the callback. */
void call_begin(struct gb_case *c, enum phase phase, int owner);
void call_end(struct gb_case *c, gb_status status, struct outcome *outcome);

/* Waits for the device. If no callback is running, the status page names the last one while waiting, because work that
 * this callback left on the device may never end. */
int call_sync(struct gb_case *c, struct err *err);

/* An observer of callbacks, set by `gpubench check`; NULL: none. It sees what a callback printed and changed before the
 * next one begins. */
struct call_watch {
  void (*begins)(void);
  void (*ended)(const struct gb_case *c, const struct outcome *outcome, const struct process_state_finding *finding);
};
extern const struct call_watch *call_watch;

/* Marks on the status page that another callback of the same owner begins. Call it between call_begin() and call_end(),
 * if these surround several callbacks. */
void call_next_callback(struct gb_case *c, enum phase phase);

/* A function that is called when a callback of variant `owner`, or of the bench (OWNER_BENCH), has ended; NULL: none.
 * The worker sets it once. */
extern void (*call_callback_ended)(int owner);
/* A function that takes warnings that concern no variant; NULL: they are dropped. The worker sets it once. */
extern void (*case_warn)(const char *text);

/* Returns the plugin whose callback runs. While `verify` runs, that is the bench's plugin, although a variant is
 * judged. */
const struct plugin *case_caller(const struct gb_case *c);

/* Records a message of the running callback; the first one is kept. */
void case_message(struct gb_case *c, const char *text);
/* Returns false if a plugin passed NULL for the case, which fails the running callback. `slot`: the service that was
 * called, such as "gb.case/1 i64". */
bool case_is(const struct gb_case *c, const char *slot);
/* Plugins should not write log lines in `run`, because that takes time. If `gpubench check` is watching and `run` is
 * the running callback, makes it fail. In a measurement, does nothing. */
void call_refuse_log(void);
/* Records a message and skips the case, whatever the running callback returns, because the callback declared something
 * that this host does not know. */
void case_unsupported(struct gb_case *c, const char *format, ...) ERR_PRINTF(2, 3);
/* Warns that something on which no figure depends is left out, because this host does not know it. Each line is told
 * once in a process. */
void case_left_out(const struct gb_case *c, const char *format, ...) ERR_PRINTF(2, 3);
/* Records a message and fails the running callback whatever it returns. */
void case_misuse(struct gb_case *c, const char *format, ...) ERR_PRINTF(2, 3);
