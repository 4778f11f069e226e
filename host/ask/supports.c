/* Asks plugins which cases their variants support. One message asks about many cases, because messages between
 * processes are slow. If the `supports` of a variant crashes or hangs, that variant gets the status crashed or timeout;
 * if that of the bench does, all variants of the case get it. Another message asks about the remaining cases. */
#include "ask/supports.h"

#include <stdlib.h>
#include <string.h>

#include "ask/request.h"
#include "base/memory.h"
#include "worker/bounds.h"

/* A variant whose `supports` is asked, and the case it is asked about. */
struct subject {
  struct plan_case *plan_case;
  struct plan_variant *variant;
};

struct supports_question {
  unsigned char *requests; /* the requests, one after the other, in a buffer of MESSAGE_BYTES_MAX */
  size_t size;
  struct subject *subjects; /* the variants in the order of the requests */
  uint32_t count, answered;
  bool killed; /* a worker was killed from outside; the case that it was asked about gets one more try */
};

static void set_status(struct plan_variant *variant, enum row_status status, enum rule rule, const char *reason) {
  if (variant->status != ROW_NOT_RUN) return;
  variant->rule = rule;
  variant->status = status;
  variant->reason = xstrdup(reason);
  text_sanitize(variant->reason);
}

/* Adds the case to the message. Returns false if it does not fit any more. */
static bool add_question(struct supports_question *supports_question, const struct pool_worker *member,
                         struct plan_case *p, size_t provider) {
  SCOPED struct case_request *request = request_new(member, p);
  supports_question->subjects = xrealloc(supports_question->subjects, supports_question->count + p->variant_count,
                                         sizeof *supports_question->subjects);
  uint32_t count = supports_question->count;
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].status == ROW_NOT_RUN && (provider == SIZE_MAX || p->variants[i].plugin == provider) &&
        request_add(request, member, &p->variants[i]))
      supports_question->subjects[count++] = (struct subject){p, &p->variants[i]};
  size_t size = case_request_size(request);
  bool fits = size <= MESSAGE_BYTES_MAX - supports_question->size;
  if (fits && count > supports_question->count) {
    memcpy(supports_question->requests + supports_question->size, request, size);
    supports_question->size += size;
    supports_question->count = count;
  }
  return fits;
}

static enum rule rule_of(const struct variant_report *report) {
  if (report->status != ROW_ERROR) return RULE_NONE;
  return report->rule > RULE_NONE && report->rule < RULE_COUNT ? (enum rule)report->rule : RULE_SUPPORTS;
}

static void take_support(void *user, const struct message *message) {
  struct supports_question *supports_question = user;
  struct variant_report report;
  const void *payload = wire_as(message, sizeof report);
  if (message->type != MSG_REPORT || payload == NULL) return;
  memcpy(&report, payload, sizeof report);
  bounds_report(&report);
  if (report.variant != supports_question->answered || supports_question->answered == supports_question->count) return;
  struct plan_variant *variant = supports_question->subjects[supports_question->answered++].variant;
  if (report.status == ROW_SKIPPED || report.status == ROW_ERROR)
    set_status(variant, (enum row_status)report.status, rule_of(&report), report.message);
}

/* Gives a status to the variant that the worker was asked about when it died. Variants are answered in order, so it is
 * the first one without an answer. */
static struct plan_case *lose_subject(struct supports_question *supports_question, const struct ending *ending) {
  char how[2 * TEXT_SIZE + 64];
  enum row_status status = ending->kind == ENDING_TIMEOUT ? ROW_TIMEOUT : ROW_CRASHED;
  enum rule rule = ending->kind == ENDING_TIMEOUT ? RULE_HANG : RULE_CRASH;
  const struct subject *lost = &supports_question->subjects[supports_question->answered];
  ending_text(ending, how, sizeof how);
  for (uint32_t i = supports_question->answered; i < supports_question->count; i++)
    if (&supports_question->subjects[i] == lost ||
        (ending->variant < 0 && supports_question->subjects[i].plan_case == lost->plan_case))
      set_status(supports_question->subjects[i].variant, status, rule, how);
  return lost->plan_case;
}

static bool repeat(struct supports_question *supports_question, const struct ending *ending) {
  bool first = ending->killed && !supports_question->killed;
  supports_question->killed = supports_question->killed || ending->killed;
  return first;
}

static int worker_for_support(struct pool *pool, const struct plan_case *p, size_t provider,
                              struct pool_worker **member, struct err *err) {
  if (provider == SIZE_MAX) return pool_worker_for(pool, p, member, err);
  return pool_worker_alone(pool, p->plugin, provider, member, err);
}

/* Returns true if this worker can answer about the next case too. */
static bool serves(const struct pool_worker *member, const struct plan_case *first, const struct plan_case *next,
                   size_t provider) {
  return provider == SIZE_MAX ? pool_serves(member, next) : next->plugin == first->plugin;
}

/* Asks about cases from `first` on. `*next` becomes the case to continue with. `provider`: asks only about variants of
 * this plugin; SIZE_MAX: about all. */
static int ask_support(struct pool *pool, struct supports_question *supports_question, size_t provider,
                       struct plan_case *first, const struct plan_case *end, struct plan_case **next, struct err *err) {
  struct pool_worker *member;
  struct ending ending;
  if (worker_for_support(pool, first, provider, &member, err) != 0) return -1;
  supports_question->size = supports_question->count = supports_question->answered = 0;
  for (*next = first; *next < end && serves(member, first, *next, provider) &&
                      add_question(supports_question, member, *next, provider);)
    (*next)++;
  if (supports_question->count == 0) return 0;
  const struct listener listener = {.user = supports_question, .message = take_support};
  pool_ask(pool, member, MSG_SUPPORTS, supports_question->requests, supports_question->size, &listener, &ending);
  if ((ending.kind == ENDING_DIED || ending.kind == ENDING_TIMEOUT) &&
      supports_question->answered < supports_question->count)
    *next = repeat(supports_question, &ending) ? supports_question->subjects[supports_question->answered].plan_case
                                               : lose_subject(supports_question, &ending);
  if (ending.kind == ENDING_FAILED) return err_set(err, EXIT_FAILED, "%s", ending.err.text);
  if (ending.kind == ENDING_INTERRUPTED) return err_set(err, EXIT_FAILED, "interrupted");
  return 0;
}

static bool has_provider(const struct plan_case *p, size_t provider) {
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].plugin == provider) return true;
  return false;
}

static int ask_all(struct pool *pool, size_t provider, struct plan_case *cases, size_t count, struct err *err) {
  struct supports_question supports_question = {.requests = xcalloc(MESSAGE_BYTES_MAX, 1)};
  struct plan_case *at = cases;
  int rc = 0;
  while (rc == 0 && at < cases + count)
    if (provider != SIZE_MAX && !has_provider(at, provider))
      at++;
    else
      rc = ask_support(pool, &supports_question, provider, at, cases + count, &at, err);
  free(supports_question.requests);
  free(supports_question.subjects);
  return rc;
}

int ask_supports(struct pool *pool, struct plan_case *cases, size_t count, struct err *err) {
  if (count == 0) return 0;
  if (!process_are_isolated()) return ask_all(pool, SIZE_MAX, cases, count, err);
  for (size_t provider = 0; provider < pool->catalog->count; provider++)
    if (ask_all(pool, provider, cases, count, err) != 0) return -1;
  return 0;
}

static void take_footprint(void *user, const struct message *message) {
  struct case_report report;
  const void *payload = wire_as(message, sizeof report);
  if (message->type != MSG_CASE || payload == NULL) return;
  memcpy(&report, payload, sizeof report);
  bounds_case(&report);
  *(double *)user = (double)report.tensor_bytes;
}

/* The worker that is asked has loaded only the plugin that defines the bench. */
int ask_footprint(struct pool *pool, const struct plan_case *p, double *bytes, struct err *err) {
  struct pool_worker *member;
  struct ending ending;
  const struct listener listener = {.user = bytes, .message = take_footprint};
  *bytes = 0;
  if (pool_worker_alone(pool, p->plugin, p->plugin, &member, err) != 0) return -1;
  SCOPED struct case_request *request = request_new(member, p);
  pool_ask(pool, member, MSG_DECLARE, request, case_request_size(request), &listener, &ending);
  return 0;
}
