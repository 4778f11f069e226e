/* Chooses the time span over which an energy counter is read: from one of its steps to a later one. Does no I/O. */
#include "stats/energy.h"

#include <math.h>
#include <string.h>

static const double block_s = 0.2;

static void enter_phase(struct energy_meter *m, int64_t now_ns) {
  m->phase++;
  m->phase_ns = now_ns;
  m->asked = false; /* the last value of the counter is forgotten, because the counter may have moved since */
}

void energy_begin(struct energy_meter *m, const struct energy_plan *plan, int64_t now_ns) {
  memset(m, 0, sizeof *m);
  m->plan = *plan;
  m->phase_ns = m->block.from_ns = now_ns;
}

static bool passed(int64_t now_ns, double since_ns, double seconds) {
  return (double)now_ns - since_ns >= seconds * 1e9;
}

static bool is_hot(const struct energy_meter *m, int64_t now_ns) {
  const bool least = passed(now_ns, (double)m->phase_ns, m->plan.preheat_least_s);
  return passed(now_ns, (double)m->phase_ns, m->plan.preheat_s) || (least && m->block.steady);
}

enum energy_want energy_wants(struct energy_meter *m, int64_t now_ns) {
  if (m->phase == ENERGY_PREHEAT && is_hot(m, now_ns)) enter_phase(m, now_ns);
  if (m->phase == ENERGY_INSIDE && passed(now_ns, m->first.ns, m->needed_s)) enter_phase(m, now_ns);
  bool polls = m->phase == ENERGY_OPENING || m->phase == ENERGY_CLOSING;
  if (polls && passed(now_ns, (double)m->phase_ns, m->plan.give_up_s)) {
    m->stuck = true;
    m->phase = ENERGY_DONE;
  }
  if (m->phase == ENERGY_DONE) return ENERGY_END;
  if (polls) return ENERGY_COUNTER;
  if (passed(now_ns, (double)m->power_asked_ns, m->plan.power_s)) return ENERGY_POWER;
  return ENERGY_NOTHING;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* Returns the time range in which the counter took its new value. It reaches from the last reading that still had the
 * old value to this reading. If values of the counter are never older than `age_s`, it begins at most `age_s` before
 * this reading. */
static struct energy_move move_at(const struct energy_meter *m, int64_t before_ns, int64_t after_ns, double joules) {
  double earliest = m->asked ? (double)m->asked_ns : -INFINITY, latest = (double)after_ns;
  if (m->plan.age_s > 0) earliest = larger(earliest, (double)before_ns - m->plan.age_s * 1e9);
  return (struct energy_move){(earliest + latest) / 2, (latest - earliest) / 2, joules};
}

/* Returns how many seconds the measured window must last if it is to end with this move of the counter (the counter
 * took a new value). */
static double needed_window_s(const struct energy_meter *m, const struct energy_move *move) {
  /* infinite if `uncertainty` is 0; the longest allowed window is used then */
  const double enough = (m->first.range_ns + move->range_ns) * 1e-9 / m->plan.uncertainty;
  return fmin(m->plan.window_s, fmax(m->plan.window_least_s, enough));
}

/* Ends the measured window with this move of the counter (the counter took a new value) if the window is long enough.
 * It must be longer if the times of its two ends are known only roughly. If it is too short, it goes on to a later
 * move. */
static void closed(struct energy_meter *m, const struct energy_move *move, int64_t now_ns) {
  const double needed = needed_window_s(m, move);
  if (passed(now_ns, m->first.ns, needed)) {
    m->last = *move;
    enter_phase(m, now_ns);
    return;
  }
  m->needed_s = needed;
  m->phase = ENERGY_INSIDE;
}

static void note_move(struct energy_meter *m, const struct energy_move *move, int64_t now_ns) {
  m->moves++;
  if (m->phase == ENERGY_CLOSING) {
    closed(m, move, now_ns);
  } else if (m->moves == 1) {
    m->first = *move;
  } else {
    /* the time between the first and the second move is the interval at which the counter moves */
    m->second = *move;
    m->needed_s = needed_window_s(m, move);
    enter_phase(m, now_ns);
  }
}

void energy_counter(struct energy_meter *m, int64_t before_ns, int64_t after_ns, double joules) {
  if (!isfinite(joules) || (m->phase != ENERGY_OPENING && m->phase != ENERGY_CLOSING)) return;
  bool move = m->asked ? joules != m->joules : m->plan.age_s > 0;
  struct energy_move at = move_at(m, before_ns, after_ns, joules);
  m->asked = true;
  m->joules = joules;
  m->asked_ns = before_ns;
  if (move) note_move(m, &at, after_ns);
}

static void note_block(struct energy_meter *m, int64_t now_ns, double watts) {
  struct energy_block *block = &m->block;
  block->watts += watts;
  block->readings++;
  if (!passed(now_ns, (double)block->from_ns, block_s)) return;
  const double mean = block->watts / block->readings;
  const bool steady = block->former > 0 && fabs(mean - block->former) <= m->plan.uncertainty * block->former;
  *block = (struct energy_block){.from_ns = now_ns, .former = mean, .steady = steady};
}

void energy_power(struct energy_meter *m, int64_t before_ns, int64_t after_ns, double watts) {
  int64_t at_ns = before_ns + (after_ns - before_ns) / 2;
  m->power_asked_ns = after_ns;
  if (!isfinite(watts)) return;
  if (m->phase == ENERGY_PREHEAT) note_block(m, after_ns, watts);
  if (m->phase != ENERGY_INSIDE) return;
  if (m->powered) {
    double seconds = (double)(at_ns - m->power_ns) * 1e-9;
    m->power_joules += (watts + m->power_w) / 2 * seconds;
    m->power_seconds += seconds;
  }
  m->powered = true;
  m->power_ns = at_ns;
  m->power_w = watts;
  m->readings++;
}

void energy_result(const struct energy_meter *m, struct energy_window *w) {
  *w = (struct energy_window){m->stuck, NAN, NAN, NAN, NAN, NAN, NAN, NAN, m->readings};
  if (m->power_seconds > 0) w->integrated_w = m->power_joules / m->power_seconds;
  if (m->moves >= 2 && m->plan.age_s <= 0) w->step_s = (m->second.ns - m->first.ns) * 1e-9;
  if (m->stuck || m->phase != ENERGY_DONE) return;
  double seconds = (m->last.ns - m->first.ns) * 1e-9;
  w->joules = m->last.joules - m->first.joules;
  w->seconds = seconds;
  w->power_w = w->joules / seconds;
  w->power_unc_w = w->power_w * (m->first.range_ns + m->last.range_ns) * 1e-9 / seconds;
  w->disagreement = w->integrated_w / w->power_w - 1;
}

double energy_unwrap(struct energy_unwrap *u, double raw, double range) {
  if (!u->known)
    u->total = raw;
  else
    u->total += raw >= u->raw ? raw - u->raw : raw + range - u->raw;
  u->known = true;
  u->raw = raw;
  return u->total;
}

struct energy_per_iteration energy_per_iteration(const struct energy_window *w, double idle_w, double ns) {
  double seconds = ns * 1e-9;
  return (struct energy_per_iteration){w->power_w * seconds, (w->power_w - idle_w) * seconds,
                                       w->power_unc_w / w->power_w};
}
