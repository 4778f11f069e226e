/* Begins and ends callbacks of plugins: marks them on the status page (memory that the parent process reads after a
 * crash), and judges what each returned and changed. */
#include "case/calls.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "case/stated.h"

void (*case_warn)(const char *text);
void (*call_callback_ended)(int owner);
const struct call_watch *call_watch;

static struct gb_case *_Atomic running; /* the case whose callback runs; NULL: none */

bool case_is(const struct gb_case *c, const char *slot) {
  struct gb_case *blamed = running;
  char text[TEXT_SIZE];
  if (c != NULL) return true;
  if (blamed != NULL) {
    case_misuse(blamed, "%s: the case is NULL", slot);
  } else if (case_warn != NULL) {
    snprintf(text, sizeof text, "%s: the case is NULL", slot);
    case_warn(text);
  }
  return false;
}

void call_refuse_log(void) {
  struct gb_case *c = running;
  if (call_watch != NULL && c != NULL && c->phase == PHASE_RUN) case_misuse(c, "gb_host log is not for run");
}

void call_begin(struct gb_case *c, enum phase phase, int owner) {
  running = c;
  c->phase = phase;
  c->owner = owner;
  c->variant = NULL;
  c->misused = false;
  c->unsupported = false;
  c->progress = 0;
  said_clear(&c->said);
  stated_begin(c);
  if (call_watch != NULL) call_watch->begins();
  phase_enter(c->page, phase, owner);
}

void call_next_callback(struct gb_case *c, enum phase phase) {
  c->phase = phase;
  phase_enter(c->page, phase, c->owner);
}

int call_sync(struct gb_case *c, struct err *err) {
  const bool between = running == NULL;
  if (between) phase_enter(c->page, c->phase, c->owner);
  const int rc = c->device->ops->sync(c->device, err);
  if (between) phase_leave(c->page);
  return rc;
}

static void warn_of_put_back(const struct gb_case *c, const char *finding) {
  char text[KEY_SIZE + sizeof c->finding.text + 64];
  snprintf(text, sizeof text, "%s: %s %s; put back", c->key, phase_name(c->phase), finding);
  if (case_warn != NULL) case_warn(text);
}

/* The process is checked only at the end of a slot (a series of samples), after `before` and `run` were called in turn.
 * So either of them may have made the change, and the text of the finding says so. */
static void doubt_before(const struct gb_case *c, struct process_state_finding *finding) {
  const size_t used = strlen(finding->text);
  if ((c->phase == PHASE_RUN || c->phase == PHASE_BEFORE) && c->variant != NULL && c->variant->own.before != NULL)
    text_copy(finding->text + used, sizeof finding->text - used, " (or before did)");
}

/* If the variant declares GB_VARIANT_PROCESSES, lets the child processes that its `prepare` has started live until
 * `release`. */
static void settle_children(const struct gb_case *c, gb_status status) {
  if (c->variant == NULL || (c->variant->own.flags & GB_VARIANT_PROCESSES) == 0) return;
  if (c->phase == PHASE_PREPARE && status == GB_OK) process_state_keep_children(c, c->owner);
  if (c->phase == PHASE_RELEASE) process_state_let_children_go(c, c->owner);
}

/* Checks what the callback changed in the process. The bench's callbacks may be the first to use a library, and
 * libraries change settings when they start. So a change by them that can be undone is only a warning. */
static gb_status look_at_process(struct gb_case *c, gb_status status, struct process_state_finding *found) {
  struct process_state_finding finding;
  char changed[TEXT_SIZE];
  settle_children(c, status);
  process_state_check(&finding);
  if (c->device->ops->restore != NULL && c->device->ops->restore(c->device, changed, sizeof changed))
    process_finding_add(&finding, PROCESS_STATE_UNDONE, "%s", changed);
  const enum process_state_harm harm = finding.harm;
  if (harm != PROCESS_STATE_NONE) doubt_before(c, &finding);
  *found = finding;
  /* the connection to the parent is lost, so only stderr and the exit code can report the finding */
  if (harm == PROCESS_STATE_CUT) {
    dprintf(STDERR_FILENO, "%s\n", finding.text);
    _exit(EXIT_FAILED);
  }
  if (harm == PROCESS_STATE_NONE) return status;
  const bool own = c->phase == PHASE_PREPARE || c->phase == PHASE_REFRESH || c->phase == PHASE_BEFORE ||
                   c->phase == PHASE_RUN || c->phase == PHASE_AFTER; /* a callback of a variant */
  if (own) {
    if (c->finding.harm == PROCESS_STATE_NONE) c->finding = finding;
    return status;
  }
  if (harm == PROCESS_STATE_UNDONE) return warn_of_put_back(c, finding.text), status;
  case_message(c, finding.text);
  return status == GB_OK ? GB_EFAIL : status;
}

void call_end(struct gb_case *c, gb_status status, struct outcome *outcome) {
  struct process_state_finding finding;
  /* comes before phase_leave(): if the callback broke the heap, the process may end here, and the status page must
   * still name the callback */
  status = look_at_process(c, status, &finding);
  phase_leave(c->page);
  if (call_callback_ended != NULL) call_callback_ended(c->owner);
  running = NULL;
  c->places = 0;
  if (c->misused)
    status = GB_EINVAL;
  else if (c->unsupported)
    status = GB_SKIP;
  outcome->kind = status == GB_OK       ? OUTCOME_OK
                  : status == GB_SKIP   ? OUTCOME_SKIP
                  : status == GB_ENOMEM ? OUTCOME_NO_MEMORY
                                        : OUTCOME_FAIL;
  outcome->device = status == GB_EDEVICE;
  outcome->rule = c->misused ? RULE_SERVICES : RULE_NONE;
  const bool said = said_copy(&c->said, outcome->message, sizeof outcome->message);
  if (status == GB_OK) {
    outcome->message[0] = '\0';
  } else if (!said) {
    snprintf(outcome->message, sizeof outcome->message, "%s returned %s (%d) without a %s: a bug in the plugin",
             phase_name(c->phase), status == GB_SKIP ? "GB_SKIP" : "an error", status,
             status == GB_SKIP ? "reason" : "message");
    outcome->kind = OUTCOME_FAIL;
    outcome->rule = RULE_MESSAGES;
  }
  if (call_watch != NULL) call_watch->ended(c, outcome, &finding);
}

void case_unsupported(struct gb_case *c, const char *format, ...) {
  char text[MSG_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  case_message(c, text);
  c->unsupported = true;
}

void case_left_out(const struct gb_case *c, const char *format, ...) {
  static struct strings told;
  enum { TOLD_MOST = 256 };
  char text[MSG_SIZE], line[MSG_SIZE + 4 * ID_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  snprintf(line, sizeof line, "%s/%s%s%s: left out: %s", c->bench->plugin->desc.id, c->bench->desc.name,
           c->variant != NULL ? "/" : "", c->variant != NULL ? c->variant->desc.name : "", text);
  if (case_warn == NULL || told.count == TOLD_MOST || strings_has(&told, line)) return;
  strings_add(&told, line);
  case_warn(line);
}

const struct plugin *case_caller(const struct gb_case *c) {
  return c->variant != NULL && c->phase != PHASE_VERIFY ? c->variant->plugin : c->bench->plugin;
}

void case_message(struct gb_case *c, const char *text) {
  said_add(&c->said, text);
}

void case_misuse(struct gb_case *c, const char *format, ...) {
  char text[MSG_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  case_message(c, text);
  c->misused = true; /* set last, so that a thread that sees the flag finds a message */
}
