/* Many cases in one question: asking is quick, and waking another process is not. A `supports` that does not return
 * costs its own variant, or all of its case where it was the bench's; the cases behind it are asked anew. */
#include "ask/supports.h"

#include <stdlib.h>
#include <string.h>

#include "ask/describe.h"
#include "ask/request.h"

/* A variant that is asked about. */
struct subject {
  struct plan_case *plan_case;
  struct plan_variant *variant;
};

struct inquiry {
  unsigned char *requests; /* one after the other, room for MESSAGE_BYTES_MAX */
  size_t size;
  struct subject *subjects; /* in the order of the requests */
  uint32_t count, answered;
};

static void set_fate(struct plan_variant *variant, enum row_status fate, const char *reason) {
  if (variant->fate != ROW_NOT_RUN) return;
  variant->fate = fate;
  variant->reason = xstrdup(reason);
  text_sanitize(variant->reason);
}

/* False: it does not fit any more. */
static bool add_case(struct inquiry *inquiry, const struct crew_member *member, struct plan_case *p) {
  struct case_request *request = request_new(member, p);
  inquiry->subjects = xrealloc(inquiry->subjects, inquiry->count + p->variant_count, sizeof *inquiry->subjects);
  uint32_t count = inquiry->count;
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].fate == ROW_NOT_RUN && request_add(request, member, &p->variants[i]))
      inquiry->subjects[count++] = (struct subject){p, &p->variants[i]};
  size_t size = case_request_size(request);
  bool fits = size <= MESSAGE_BYTES_MAX - inquiry->size;
  if (fits && count > inquiry->count) {
    memcpy(inquiry->requests + inquiry->size, request, size);
    inquiry->size += size;
    inquiry->count = count;
  }
  free(request);
  return fits;
}

static void take_support(void *user, const struct message *message) {
  struct inquiry *inquiry = user;
  struct variant_report report;
  const void *payload = wire_as(message, sizeof report);
  if (message->type != MSG_REPORT || payload == NULL) return;
  memcpy(&report, payload, sizeof report);
  report.message[sizeof report.message - 1] = '\0';
  if (report.variant != inquiry->answered || inquiry->answered == inquiry->count) return;
  struct plan_variant *variant = inquiry->subjects[inquiry->answered++].variant;
  if (report.status == ROW_SKIPPED || report.status == ROW_ERROR)
    set_fate(variant, (enum row_status)report.status, report.message);
}

/* They are asked in their order: it is the first without an answer. */
static struct plan_case *lose(struct inquiry *inquiry, const struct ending *ending) {
  char how[2 * TEXT_SIZE + 64];
  enum row_status fate = ending->kind == ENDING_TIMEOUT ? ROW_TIMEOUT : ROW_CRASHED;
  const struct subject *lost = &inquiry->subjects[inquiry->answered];
  describe_ending(ending, how, sizeof how);
  for (uint32_t i = inquiry->answered; i < inquiry->count; i++)
    if (&inquiry->subjects[i] == lost || (ending->variant < 0 && inquiry->subjects[i].plan_case == lost->plan_case))
      set_fate(inquiry->subjects[i].variant, fate, how);
  return lost->plan_case;
}

/* *next: the case to go on with. */
static int ask(struct crew *crew, struct inquiry *inquiry, struct plan_case *first, const struct plan_case *end,
               struct plan_case **next, struct err *err) {
  struct crew_member *member;
  struct ending ending;
  if (crew_member_for(crew, first, &member, err) != 0) return -1;
  inquiry->size = inquiry->count = inquiry->answered = 0;
  for (*next = first; *next < end && crew_serves(member, *next) && add_case(inquiry, member, *next);)
    (*next)++;
  if (inquiry->count == 0) return 0;
  const struct listener listener = {.user = inquiry, .message = take_support};
  crew_ask(crew, member, MSG_SUPPORTS, inquiry->requests, inquiry->size, &listener, &ending);
  if ((ending.kind == ENDING_DIED || ending.kind == ENDING_TIMEOUT) && inquiry->answered < inquiry->count)
    *next = lose(inquiry, &ending);
  if (ending.kind == ENDING_FAILED) return err_set(err, EXIT_FAILED, "%s", ending.err.text);
  if (ending.kind == ENDING_INTERRUPTED) return err_set(err, EXIT_FAILED, "interrupted");
  return 0;
}

int inquire(struct crew *crew, struct plan_case *cases, size_t count, struct err *err) {
  struct inquiry inquiry = {.requests = xcalloc(MESSAGE_BYTES_MAX, 1)};
  struct plan_case *at = cases;
  int rc = 0;
  while (rc == 0 && at < cases + count)
    rc = ask(crew, &inquiry, at, cases + count, &at, err);
  free(inquiry.requests);
  free(inquiry.subjects);
  return rc;
}
