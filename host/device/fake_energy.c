/* Scripted joules. */
#include "device/fake_energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/energy.h"

struct fake_source {
  struct energy_source base;
  struct fake_energy *energy;
  struct energy_unwrap unwrap;
};

static struct fake_energy *energy_of(struct energy_source *source) {
  return ((struct fake_source *)source)->energy;
}

/* Of the moment, and how long it stays so. */
static double watts_now(const struct fake_energy *energy, double *ns) {
  const struct fake_load *load = &energy->load;
  *ns = HUGE_VAL;
  if (!(load->pulse_ns > 0)) return load->watts;
  double into = fmod(energy->counter.now_ns / load->pulse_ns + 1 - load->pulse_phase, 1);
  bool on = into < load->pulse_duty;
  *ns = fmax(1, ((on ? load->pulse_duty : 1) - into) * load->pulse_ns);
  return on ? load->watts : energy->idle_w;
}

void fake_energy_spend(struct fake_energy *energy, double ns, const struct fake_load *load) {
  energy->load = *load;
  while (energy->counter.step_ns > 0 && ns > 0) {
    double steady, watts = watts_now(energy, &steady), part = fmin(ns, steady);
    energy_model_advance(&energy->counter, part, watts);
    ns -= part;
  }
}

static double look(struct energy_source *source) {
  struct fake_energy *energy = energy_of(source);
  double raw = energy_model_read(&energy->counter);
  return energy->range > 0 ? energy_unwrap(&((struct fake_source *)source)->unwrap, raw, energy->range) : raw;
}

static double fake_joules(struct energy_source *source) {
  double joules = look(source);
  const struct fake_load load = energy_of(source)->load; /* it goes on */
  fake_energy_spend(energy_of(source), energy_of(source)->query_ns, &load);
  return joules;
}

static double fake_watts(struct energy_source *source) {
  double steady;
  (void)look(source); /* or it could begin anew unseen */
  return watts_now(energy_of(source), &steady);
}

static int64_t fake_now(struct energy_source *source) {
  return (int64_t)energy_of(source)->counter.now_ns;
}

static void fake_rest(struct energy_source *source, double seconds) {
  const struct fake_load idle = {.watts = energy_of(source)->idle_w};
  fake_energy_spend(energy_of(source), seconds * 1e9, &idle);
}

static void fake_close(struct energy_source *source) {
  free(source);
}

struct energy_source *fake_energy_open(struct fake_energy *energy, char *why, size_t size) {
  if (!(energy->counter.step_ns > 0)) {
    snprintf(why, size, "the script has no energy_step_ms");
    return NULL;
  }
  struct fake_source *source = xcalloc(1, sizeof *source);
  source->base =
      (struct energy_source){"scripted counter", 0, fake_joules, fake_watts, fake_now, fake_rest, fake_close};
  source->energy = energy;
  energy->counter.range = energy->range;
  return &source->base;
}
