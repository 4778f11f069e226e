/* A model of a device's energy counter, with which the code that reads such counters is tested. */
#include "fake_counter.h"

#include <math.h>

static double smaller(double a, double b) {
  return a < b ? a : b;
}

static void end_step(struct energy_model *m) {
  m->total += m->seen_joules / m->seen;
  m->seen_joules = 0;
  m->steps++;
  m->told[m->steps % (ENERGY_MODEL_LATE_MAX + 1)] = m->total;
  m->step_end_ns += m->step_ns;
}

void energy_model_advance(struct energy_model *m, double ns, double watts) {
  if (m->step_end_ns == 0) m->step_end_ns = m->phase_ns > 0 ? m->phase_ns : m->step_ns;
  double until = m->now_ns + ns;
  while (m->now_ns < until) {
    double next = smaller(until, m->step_end_ns);
    double looked_until = m->step_end_ns - m->step_ns * (1 - m->seen);
    double looked = smaller(next, looked_until) - m->now_ns;
    if (looked > 0) m->seen_joules += looked * 1e-9 * watts;
    m->now_ns = next;
    if (next >= m->step_end_ns) end_step(m);
  }
}

double energy_model_read(const struct energy_model *m) {
  double since = m->now_ns - (m->step_end_ns - m->step_ns); /* time since the end of the last step */
  uint64_t late = m->lag_ns > since ? (uint64_t)ceil((m->lag_ns - since) / m->step_ns) : 0;
  if (late > ENERGY_MODEL_LATE_MAX) late = ENERGY_MODEL_LATE_MAX;
  if (late > m->steps) return 0;
  double joules = m->told[(m->steps - late) % (ENERGY_MODEL_LATE_MAX + 1)];
  if (m->resolution > 0) joules = floor(joules / m->resolution) * m->resolution;
  return m->range > 0 ? fmod(joules, m->range) : joules;
}
