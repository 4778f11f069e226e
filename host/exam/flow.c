/* Runs the stations (steps) of an examination in order. */
#include "exam/exam.h"

#include "exam/state.h"
#include "exam/stations.h"

/* station_lifetimes() sets up one case after another; it stops after this many seconds */
static const double lifetimes_s = 2;

/* What a station (a step of the examination) examines. KNOWN_BENCH: the bench was examined earlier, and the station
 * only computes the expected values that later stations need. */
enum about { BENCH, KNOWN_BENCH, VARIANT, BOTH };

/* The stations in order. Each relies on what the earlier ones have checked. `brief`: the station belongs to a brief
 * examination, too. */
static const struct {
  int (*station)(struct sitting *s, struct err *err);
  enum about about;
  bool brief;
} stations[] = {
    {station_work, BENCH, true},        {station_reference, BENCH, false}, {station_expect, KNOWN_BENCH, true},
    {station_first, VARIANT, true},     {station_device, VARIANT, false},  {station_calls, VARIANT, false},
    {station_rate, VARIANT, false},     {station_again, VARIANT, false},   {station_fresh, VARIANT, false},
    {station_notices, BOTH, false},     {station_declared, BENCH, false},  {station_beside, VARIANT, false},
    {station_no_memory, VARIANT, false}};

static bool is_brief(const struct exam *e) {
  return e->request->verify_only != 0;
}

static bool is_station_wanted(const struct exam *e, size_t i) {
  const enum about about = stations[i].about;
  const bool known = e->request->quick != 0, variant = e->variant != NULL;
  if (is_brief(e)) return stations[i].brief;
  return about == BENCH ? !known : about == KNOWN_BENCH ? known : variant && (about == VARIANT || !known);
}

static int pass_stations(struct sitting *s, struct err *err) {
  const struct exam *e = s->exam;
  int rc = sitting_goes_on(s, RULE_VALUES) ? 0 : 1;
  for (size_t i = 0; i < sizeof stations / sizeof stations[0] && rc == 0; i++) {
    if (!is_station_wanted(e, i)) continue;
    rc = stations[i].station(s, err);
    if (rc == 0 && e->over) rc = 1;
  }
  return rc;
}

static int sit_exam(struct exam *e, struct err *err) {
  struct sitting s;
  e->fence = FENCE_BEHIND;
  if (sitting_begin(&s, e, e->request->seed, err) != 0) return -1;
  e->fence = FENCE_NONE;
  const int rc = pass_stations(&s, err);
  if (rc >= 0) sitting_end(&s);
  return rc;
}

/* Reports the general rules as passed, except those that were broken at any time during the examination. */
static void pass_rest(struct exam *e) {
  static const enum rule rules[] = {RULE_PRINTS, RULE_PROCESS, RULE_MESSAGES, RULE_SERVICES, RULE_CRASH, RULE_HANG};
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    exam_pass(e, rules[i]);
}

int exam_case(const struct exam_host *host, const struct case_request *request, struct variant *variant,
              struct err *err) {
  struct exam e = {.host = host, .request = request, .variant = variant};
  watch_begin(&e);
  rate_begin(&e);
  int rc = sit_exam(&e, err);
  if (rc == 0 && !is_brief(&e)) rc = station_lifetimes(&e, lifetimes_s, err);
  if (rc >= 0) watch_judge(&e);
  if (rc == 0) pass_rest(&e);
  rate_end(&e);
  watch_end();
  return rc < 0 ? -1 : 0;
}
