#include "noise.h"

#include <math.h>

#include "base/rng.h"
#include "stats/round_order.h"

enum { ENDING = 6 };

double noise_uniform(struct machine *machine) {
  return ((double)(rng_bits(machine->key, machine->drawn++) >> 11) + 0.5) / 9007199254740992.0;
}

double noise_normal(struct machine *machine) { /* by Box and Muller */
  double radius = sqrt(-2 * log(noise_uniform(machine)));
  return radius * cos(6.283185307179586 * noise_uniform(machine));
}

void noise_start(struct machine *machine, const struct noise *noise, uint64_t trial) {
  machine->noise = noise;
  machine->key = rng_key(77, trial);
  machine->drawn = machine->slots = 0;
  machine->slow = noise_uniform(machine) < 0.5;
  machine->turn = noise_uniform(machine) < 0.5;
  machine->throttle_from = (uint32_t)(30 * noise_uniform(machine));
  machine->last = 0;
  machine->round = noise_normal(machine);
  for (uint32_t v = 0; v < NOISE_VARIANTS; v++) {
    machine->ar1[v] = noise_normal(machine);
    machine->offset[v] = 1 + noise->offset_sd * noise_normal(machine);
    machine->effect[v] = 1;
  }
}

/* Returns the factor by which the device's state (its clock, drift and the like) lengthens the slots of this round, and
 * advances the state. */
static double conditions(struct machine *machine, uint32_t round) {
  const struct noise *n = machine->noise;
  if (noise_uniform(machine) < n->state_switch) machine->slow = !machine->slow;
  if (!(noise_uniform(machine) < n->flip_slip)) machine->turn = !machine->turn;
  double factor = 1 + (machine->turn ? n->flip : -n->flip);
  if (machine->slow) factor *= 1 + n->state_gap;
  if (n->throttle_factor > 0 && round >= machine->throttle_from) factor *= n->throttle_factor;
  if (n->ramp > 0) factor *= 1 + n->ramp * exp(-(double)machine->slots / n->ramp_slots);
  machine->slots++;
  return factor * (1 + n->drift * round);
}

/* Advances noise with memory (first-order autoregressive, standard deviation 1) by one step. */
static double walk(struct machine *machine, double at, double rho) {
  return rho * at + sqrt(1 - rho * rho) * noise_normal(machine);
}

static double students(struct machine *machine) { /* Student's t, 3 degrees of freedom */
  double squares = 0;
  for (int i = 0; i < 3; i++)
    squares += pow(noise_normal(machine), 2);
  return noise_normal(machine) / sqrt(squares / 3);
}

/* Returns the factor by which the time of this slot differs for reasons that concern variant `v` only, such as its slow
 * noise. */
static double own(struct machine *machine, uint32_t v, double wider) {
  const struct noise *n = machine->noise;
  machine->ar1[v] = walk(machine, machine->ar1[v], n->ar1_rho);
  double factor = exp(wider * n->slot_sd * noise_normal(machine) + n->ar1_sd * machine->ar1[v]);
  if (n->heavy_sd > 0) factor *= exp(n->heavy_sd * students(machine));
  if (noise_uniform(machine) < n->spike_p) factor *= 1 + n->spike;
  if (noise_uniform(machine) < n->speed_p) factor *= 1 + n->speed_gap;
  if (machine->last != v) factor *= 1 + n->carry;
  machine->last = v;
  return factor;
}

static double sample(struct machine *machine, double ns, double sd) {
  const struct noise *n = machine->noise;
  double t = ns * exp(sd * noise_normal(machine));
  if (noise_uniform(machine) < n->mode_p) t *= 1 + n->mode_gap;
  if (noise_uniform(machine) < n->tail_p) t *= 1 - n->tail_scale * log(noise_uniform(machine));
  if (n->step_ns > 0) t = n->step_ns * floor(t / n->step_ns + noise_uniform(machine));
  return n->tick_ns > 0 ? n->tick_ns * floor(t / n->tick_ns + noise_uniform(machine)) : t;
}

static void slot(struct machine *machine, uint32_t epoch, uint32_t round, uint32_t v) {
  const struct noise *n = machine->noise;
  double wider = v == 1 && n->uneven > 0 ? n->uneven : 1;
  double known = conditions(machine, round) * exp(n->round_sd * machine->round), *ns = machine->ns[v][round];
  if (v == 0) machine->conditions[round] = known;
  double factor = known * own(machine, v, wider);
  for (uint32_t i = 0; i < n->sizes[v]; i++)
    ns[i] =
        sample(machine,
               n->ns * machine->effect[v] * machine->offset[v] * factor * (n->sizes[v] - i <= ENDING ? 1 + n->end : 1),
               wider * n->sample_sd);
  machine->rounds[v][round] = (struct slot){.epoch = epoch, .round = round, .count = n->sizes[v], .ns = ns};
}

void noise_round(struct machine *machine, uint32_t epoch, uint32_t round, uint64_t seed) {
  uint32_t order[NOISE_VARIANTS];
  machine->round = walk(machine, machine->round, machine->noise->round_rho);
  order_round(machine->noise->variants, round, seed, order);
  for (uint32_t i = 0; i < machine->noise->variants; i++)
    slot(machine, epoch, round, order[i]);
}

/* ---- True quantiles ------------------------------------------------------------------------------------------- */

static double normal_below(double x) {
  return 0.5 * erfc(-x / sqrt(2));
}

/* Returns the share of samples below `x`, without the noise of tail_p. `x` is relative to the median at the kernel's
 * faster speed. */
static double body_below(const struct noise *n, double x) {
  double sd = sqrt(n->sample_sd * n->sample_sd + n->slot_sd * n->slot_sd + n->ar1_sd * n->ar1_sd);
  double below = (1 - n->mode_p) * normal_below(log(x) / sd);
  return n->mode_p > 0 ? below + n->mode_p * normal_below(log(x / (1 + n->mode_gap)) / sd) : below;
}

static double share_below(const struct noise *n, double x) {
  enum { NODES = 50 };
  double tail = 0, ending = n->end < 0 ? (double)ENDING / n->sizes[0] : 0;
  for (int i = 0; i < NODES && n->tail_p > 0; i++)
    tail += body_below(n, x / (1 - n->tail_scale * log((i + 0.5) / NODES))) / NODES;
  double below = (1 - ending) * body_below(n, x);
  if (ending > 0) below += ending * body_below(n, x / (1 + n->end));
  return (1 - n->tail_p) * below + n->tail_p * tail;
}

static double all_below(const struct machine *machine, uint32_t rounds, double ns) {
  double below = 0, count = 0, last = 0, share = 0;
  for (uint32_t r = 0; r < rounds; r++) {
    if (machine->conditions[r] != last)
      share = share_below(machine->noise, ns / machine->conditions[r] / machine->noise->ns);
    last = machine->conditions[r];
    below += share;
    count++;
  }
  return below / count;
}

double noise_quantile(const struct machine *machine, uint32_t rounds, double p) {
  double true_ns = machine->noise->ns * machine->offset[0], low = 0.5 * true_ns, high = 3 * true_ns;
  for (int i = 0; i < 45; i++) {
    double middle = (low + high) / 2;
    if (all_below(machine, rounds, middle / machine->offset[0]) < p)
      low = middle;
    else
      high = middle;
  }
  return low;
}
