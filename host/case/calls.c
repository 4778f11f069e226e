/* Around callbacks. */
#include "case/calls.h"

#include <stdarg.h>
#include <stdio.h>

void call_begin(struct gb_case *c, enum phase phase, int owner) {
  c->phase = phase;
  c->owner = owner;
  c->misused = false;
  c->message[0] = '\0';
  phase_enter(c->page, phase, owner);
}

static void defect(struct gb_case *c, const char *what, gb_status status) {
  snprintf(c->message, sizeof c->message, "%s returned %s (%d) without a %s: a defect of the plugin",
           phase_name(c->phase), what, status, status == GB_SKIP ? "reason" : "message");
}

void call_end(struct gb_case *c, gb_status status, struct outcome *outcome) {
  phase_leave(c->page);
  if (c->misused) status = GB_EINVAL;
  outcome->kind = status == GB_OK       ? OUTCOME_OK
                  : status == GB_SKIP   ? OUTCOME_SKIP
                  : status == GB_ENOMEM ? OUTCOME_NO_MEMORY
                                        : OUTCOME_FAIL;
  if (status != GB_OK && c->message[0] == '\0') {
    defect(c, status == GB_SKIP ? "GB_SKIP" : "an error", status);
    outcome->kind = OUTCOME_FAIL;
  }
  text_copy(outcome->message, sizeof outcome->message, status == GB_OK ? "" : c->message);
}

void case_message(struct gb_case *c, const char *text) {
  if (c->message[0] != '\0') return;
  text_copy(c->message, sizeof c->message, text);
  text_sanitize(c->message);
}

void case_misuse(struct gb_case *c, const char *format, ...) {
  char text[MSG_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  c->misused = true;
  case_message(c, text);
}
