/* Keeps calls that hang from using up the time of other variants: limits how long calls of a case may run, and leaves
 * out variants that hung in several cases. */
#include "budget/hangs.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "budget/reckon.h"

/* A variant that did not return in this many cases is not run in later ones. */
enum { HANGS_MOST = 2 };

static double case_least_s(const struct time_budget *b, const struct plan_case *p) {
  return time_budget_has(b, p) ? reckon_least_s(b, p) : 0;
}

/* Returns the seconds needed after this case. Cases that measure ceilings (the device's highest rates) run first, so
 * after each of them all other cases still need their time. */
static double needed_after_s(const struct time_budget *b, const struct plan_case *p) {
  const struct plan *plan = b->plan;
  double seconds = 0;
  for (const struct plan_case *other = plan->cases; other < plan->cases + plan->count; other++)
    if (!other->yardstick && (other > p || p->yardstick)) seconds += case_least_s(b, other);
  return seconds;
}

/* A call that hangs may run at most until the end of measuring that was first announced to the user. If cases took less
 * time than planned, an earlier end has been announced since; the call may use the time that they saved. */
void hangs_limit_calls(struct time_budget *b, const struct plan_case *p) {
  const int64_t now = clock_now_ns();
  b->pool->calls_end_ns = 0;
  if (b->device_ends_ns == INT64_MAX) return;
  const double left_s = (double)(b->device_ends_ns + (b->latest_ns - b->ends_ns) - now) * 1e-9;
  const double after_s = needed_after_s(b, p), own_s = case_least_s(b, p);
  const double part_s = own_s > 0 ? left_s * own_s / (own_s + after_s) : 0;
  b->pool->calls_end_ns = now + (int64_t)(fmax(left_s - after_s, part_s) * 1e9);
}

int64_t hangs_suspects_until(const struct time_budget *b, int64_t suspects_ns) {
  const int64_t calls_end_ns = b->pool->calls_end_ns;
  return suspects_ns != 0 && calls_end_ns > suspects_ns ? calls_end_ns : suspects_ns;
}

/* Returns a generous limit, many times what verifying usually takes, because it is only meant to stop runs that would
 * never end. */
double hangs_verifying_s(const struct time_budget *b) {
  static const double first_s = 30, case_s = 10;
  double seconds = first_s + ceil(time_budget_gone_s(b));
  for (size_t i = 0; i < b->plan->count; i++)
    if (case_least_s(b, &b->plan->cases[i]) > 0) seconds += (double)b->usable * case_s;
  return seconds;
}

static void skip_hanging(struct plan_variant *variant, const char *message) {
  if (++variant->hung < HANGS_MOST || variant->status != ROW_NOT_RUN) return;
  variant->status = ROW_SKIPPED;
  variant->reason = memory_print("it did not return in %d cases before, the last time: %s", HANGS_MOST, message);
}

static void note_hang(const struct plan *plan, const struct plan_case *p, const struct plan_variant *hung,
                      const char *message) {
  for (struct plan_case *later = plan->cases; later < plan->cases + plan->count; later++)
    for (size_t i = 0; later > p && later->plugin == p->plugin && later->bench == p->bench && i < later->variant_count;
         i++)
      if (later->variants[i].plugin == hung->plugin && later->variants[i].variant == hung->variant)
        skip_hanging(&later->variants[i], message);
}

void hangs_note(const struct plan *plan, const struct plan_case *p, const struct case_result *result) {
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].status == ROW_NOT_RUN && result->variants[i].status == ROW_TIMEOUT)
      note_hang(plan, p, &p->variants[i], result->variants[i].message);
}
