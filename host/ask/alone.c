/* Measures variants of one plugin in a worker process that runs no variants of other plugins, with one request. */
#include "ask/alone.h"

#include <stdlib.h>

#include "ask/answer.h"
#include "base/memory.h"
#include "base/rng.h"

static void begin_result(size_t count, struct case_result *result) {
  *result = (struct case_result){.variants = xcalloc(count, sizeof *result->variants),
                                 .count = count,
                                 .report = {.conditions = CONDITIONS_UNKNOWN, .host = HOST_USAGE_UNKNOWN}};
  for (size_t i = 0; i < count; i++)
    result->variants[i] = VARIANT_RESULT_NONE;
}

/* Builds the request. Clears the variants' baselines (`against`), because variants are not compared with one another in
 * this process. */
static void begin_request(struct epoch *e, const struct pool_worker *member, const bool *variants, double cooldown) {
  const struct plan_case *p = e->plan_case;
  e->request = request_new(member, p);
  request_set(e->request, e->settings);
  e->request->mode = p->mode;
  e->request->cooldown = cooldown;
  e->request->until_ns = e->settings->until_ns;
  e->request->order_seed = rng_key(rng_key(e->settings->seed, rng_text(p->key)), e->number);
  for (size_t i = 0; i < p->variant_count; i++) {
    const uint32_t place = e->request->variant_count;
    if (!variants[i] || !request_add(e->request, member, &p->variants[i])) continue;
    e->request->variants[place].against = (struct denominator){0};
    e->asked[place] = i;
  }
}

/* Gives every variant of the request its final status. A variant at which a fault was seen is blamed at once, because
 * no other plugin has run in this process, except the one that defines the bench. `why` is the message for variants
 * that the worker did not report. */
static void settle_alone(struct epoch *e, enum row_status status, const char *why) {
  for (uint32_t i = 0; i < e->request->variant_count; i++) {
    struct variant_result *v = epoch_result(e, i);
    const struct doubt *doubt = &e->doubts[e->asked[i]];
    if (doubt->text != NULL) variant_result_settle(v, doubt->status, doubt->text);
    if (status != ROW_OK || v->status == ROW_NOT_RUN)
      variant_result_settle(v, status == ROW_OK ? ROW_ERROR : status, why);
  }
}

static int end_alone(struct epoch *e, struct pool_worker *member, const struct ending *ending, struct err *err) {
  char how[2 * TEXT_SIZE + 64] = "an incomplete answer from the worker";
  switch (ending->kind) {
    case ENDING_DONE:
      settle_alone(e, ROW_OK, how);
      if (e->accused) pool_dismiss(member); /* ends the worker, so that errors do not affect the next measurement */
      return 0;
    case ENDING_DIED:
    case ENDING_TIMEOUT:
      epoch_sentence(e, ending, how, sizeof how);
      settle_alone(e, ending->kind == ENDING_DIED ? ROW_CRASHED : ROW_TIMEOUT, how);
      return 0;
    case ENDING_FAILED:
      *err = ending->err;
      pool_dismiss(member);
      member->died = true;
      return -1;
    default:
      return err_set(err, EXIT_FAILED, "interrupted");
  }
}

int ask_alone(struct pool *pool, const struct plan_case *p, size_t provider, const bool *variants,
              const struct run_case_settings *settings, double cooldown, struct case_result *result, struct err *err) {
  struct pool_worker *member;
  struct ending ending;
  struct epoch e;
  begin_result(p->variant_count, result);
  if (pool_worker_alone(pool, p->plugin, provider, &member, err) != 0) return -1;
  epoch_init(&e, p, settings, result);
  begin_request(&e, member, variants, cooldown);
  e.request->idle = pool_idle(pool, member);
  pool->wary = false;
  const struct listener listener = {.user = &e, .message = answer_take};
  pool_ask(pool, member, MSG_RUN, e.request, case_request_size(e.request), &listener, &ending);
  answer_end_slot(&e);
  const int rc = end_alone(&e, member, &ending, err);
  free(e.request);
  epoch_free(&e);
  return rc;
}
