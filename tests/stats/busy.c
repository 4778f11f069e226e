/* busy [TRIALS]: tests the verdicts "faster" and "slower" on a loaded machine and after few rounds.
 *
 * Simulates two variants that alternate on processors which a fair scheduler shares among them and busy loops. Prints
 * how often equal code gets a verdict, and how often code that takes several times as long gets the right one. Exits
 * with 1 if a rate's 95% Clopper-Pearson interval lies on the wrong side of its bound. Seeds are fixed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "rate.h"
#include "stats/gap.h"

enum { LOOPS_MOST = 16, ROUNDS = 60, SAMPLES = 50, VARIANTS = 2 };

/* A load on the machine; times are in seconds. */
struct load {
  const char *name;
  double processors, loops; /* processors of the machine, and busy loops that run in addition to the measured process */
  double on_s,
      off_s;      /* mean lengths of a loop's busy (on_s) and idle (off_s) periods; off_s 0: the loop is always busy */
  double slice_s; /* length of a time slice */
  double cold;    /* cold caches: after a wait, the first 0.1 ms of work takes (1 + cold) times as long */
  uint32_t rounds_most; /* most rounds of a comparison of two variants; 0: as many as fit into the time */
};

static const struct load loads[] = {
    {"1 loop on 2", 2, 1, 1, 0, 0.003, 0, 0},        {"2 loops on 2", 2, 2, 1, 0, 0.003, 1, 0},
    {"3 loops on 2", 2, 3, 1, 0, 0.003, 1, 0},       {"8 loops on 2", 2, 8, 1, 0, 0.003, 2, 0},
    {"long slices", 2, 3, 1, 0, 0.030, 2, 0},        {"short bursts", 2, 4, 0.02, 0.05, 0.003, 2, 0},
    {"bursts", 2, 4, 0.3, 0.6, 0.003, 2, 0},         {"long bursts", 2, 4, 3, 3, 0.003, 2, 0},
    {"rare bursts", 1, 8, 0.05, 2, 0.010, 2, 0},     {"3 rounds", 2, 3, 1, 0, 0.003, 2, 3},
    {"5 rounds", 2, 8, 0.3, 0.3, 0.003, 2, 5},       {"3, of bursts", 2, 4, 0.3, 0.6, 0.003, 2, 3},
    {"3, 1 processor", 1, 1, 0.1, 0.1, 0.003, 2, 3}, {"idle, 3 rounds", 2, 0, 1, 0, 0.003, 2, 3},
    {"idle, 5 rounds", 2, 0, 1, 0, 0.003, 2, 5},
};

static const double kernels_s[] = {2e-6, 100e-6, 3e-3, 40e-3};
static const double effects[] = {1, 2, 5, 10, 140};
enum { LOADS = sizeof loads / sizeof loads[0], KERNELS = sizeof kernels_s / sizeof kernels_s[0], EFFECTS = 5 };

struct machine {
  const struct load *load;
  uint64_t key, drawn;
  double now_s, slice_left_s, cold_left_s, toggles_s[LOOPS_MOST];
  bool on[LOOPS_MOST];
  double ns[VARIANTS][ROUNDS][SAMPLES];
  struct slot slots[VARIANTS][ROUNDS];
};

static struct machine machine;

static double uniform(struct machine *m) {
  return ((double)(rng_bits(m->key, m->drawn++) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct machine *m) {
  const double radius = sqrt(-2 * log(uniform(m)));
  return radius * cos(6.283185307179586 * uniform(m));
}

static void start(struct machine *m, const struct load *load, uint64_t trial) {
  m->load = load;
  m->key = rng_key(1059, trial);
  m->drawn = 0;
  m->now_s = m->slice_left_s = m->cold_left_s = 0;
  for (int i = 0; i < (int)load->loops; i++) {
    m->on[i] = uniform(m) < load->on_s / (load->on_s + load->off_s);
    m->toggles_s[i] = -log(uniform(m)) * (m->on[i] ? load->on_s : load->off_s);
  }
}

/* Returns how many of the busy loops want to run now. */
static int rivals(struct machine *m) {
  int on = 0;
  for (int i = 0; i < (int)m->load->loops; i++) {
    while (m->load->off_s > 0 && m->toggles_s[i] < m->now_s) {
      m->on[i] = !m->on[i];
      m->toggles_s[i] += -log(uniform(m)) * (m->on[i] ? m->load->on_s : m->load->off_s);
    }
    on += m->on[i];
  }
  return on;
}

/* Returns how many busy loops wait for the processor of the measured process. The scheduler spreads them evenly, but
 * cannot split a task. */
static int beside(struct machine *m) {
  const double share = (rivals(m) + 1) / m->load->processors - 1;
  return share > 0 ? (int)(share + uniform(m)) : uniform(m) < 0.02;
}

/* Runs work that would take `seconds` undisturbed, and returns the time that it takes. */
static double work(struct machine *m, double seconds) {
  const double began_s = m->now_s;
  while (seconds > 0) {
    const double slow = m->cold_left_s > 0 ? 1 + m->load->cold : 1;
    double step_s = fmin(seconds * slow, m->slice_left_s);
    if (m->cold_left_s > 0) step_s = fmin(step_s, m->cold_left_s * slow);
    seconds -= step_s / slow;
    m->now_s += step_s;
    m->slice_left_s -= step_s;
    m->cold_left_s = fmax(0, m->cold_left_s - step_s / slow);
    if (seconds < 1e-12) break;
    if (m->slice_left_s > 1e-12) continue;
    m->slice_left_s = m->load->slice_s * (0.5 + uniform(m));
    const int waiting = beside(m);
    for (int i = 0; i < waiting; i++)
      m->now_s += m->load->slice_s * (0.5 + uniform(m));
    if (waiting > 0) m->cold_left_s = 1e-4;
  }
  return m->now_s - began_s;
}

/* Measures one slot, that is a series of samples of one variant: as many as fit into 5 ms, at least one. After each
 * sample, emptying the caches takes `between_s`. */
static void slot(struct machine *m, uint32_t variant, uint32_t round, double seconds) {
  const double between_s = 0.5e-3, slot_s = 5e-3;
  const uint32_t count = (uint32_t)fmax(1, fmin(SAMPLES, slot_s / (seconds + between_s)));
  double *ns = m->ns[variant][round];
  for (uint32_t i = 0; i < count; i++) {
    work(m, between_s);
    ns[i] = 1e9 * work(m, seconds * exp(0.01 * normal(m)));
  }
  m->slots[variant][round] = (struct slot){.epoch = 1, .round = round, .count = count, .ns = ns};
}

/* Measures a case for three seconds. */
static uint32_t measure(struct machine *m, double seconds, double effect) {
  const uint32_t most = m->load->rounds_most > 0 ? m->load->rounds_most : ROUNDS;
  uint32_t rounds = 0;
  for (; rounds < most && (rounds < 3 || m->now_s < 3); rounds++) {
    const bool turned = uniform(m) < 0.5;
    for (int i = 0; i < VARIANTS; i++) {
      const uint32_t variant = (uint32_t)(i ^ turned);
      slot(m, variant, rounds, seconds * (variant == 1 ? effect : 1));
    }
  }
  return rounds;
}

/* ---- Verdicts ---- */

/* Bounds of the rates. In a contest two variants are compared. false_most: at most this share of contests of equal
 * code may get a verdict. found_least: of contests with code that takes 140 times as long, at least this share must
 * get the right verdict. */
static const double false_most = 0.01, found_least = 0.98;

static void word_of(const struct load *load, double seconds, double effect, uint64_t trial, struct rate *rate,
                    double *rounds) {
  struct ratio ratio;
  start(&machine, load, trial);
  const uint32_t count = measure(&machine, seconds, effect);
  stats_ratio(machine.slots[0], count, machine.slots[1], count, 1, trial, &ratio);
  const enum verdict word = stats_verdict_parse(gap_or_word(&ratio, NULL, load->loops > 0));
  rate_note(rate, effect > 1 ? word == VERDICT_SLOWER : word == VERDICT_SLOWER || word == VERDICT_FASTER);
  *rounds += count;
}

static bool run_load(const struct load *load, double seconds, uint64_t trials) {
  bool broken = false;
  printf("%-14s %8g ms", load->name, seconds * 1e3);
  for (size_t e = 0; e < EFFECTS; e++) {
    struct rate rate = {0};
    double rounds = 0;
    for (uint64_t t = 0; t < trials; t++)
      word_of(load, seconds, effects[e], t * 64 + e, &rate, &rounds);
    rounds /= (double)trials;
    if (effects[e] == 1) broken |= rate_show(&rate, 0, false_most, false);
    if (effects[e] > 1) broken |= rate_show(&rate, effects[e] > 100 ? found_least : 0, 1, true);
    printf("%4.0f", rounds);
  }
  printf("\n");
  fflush(stdout);
  return broken;
}

int main(int argc, char **argv) {
  const uint64_t trials = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
  bool broken = false;
  if (trials == 0) return 2;
  printf("Words in %% of %llu contests, and rounds: of equal code, and of code that takes so many times as long.\n",
         (unsigned long long)trials);
  printf("%-14s %11s %-24s%-11s%-11s%-11s%s\n", "load", "kernel", " equal", " 2", " 5", " 10", " 140");
  for (size_t l = 0; l < LOADS; l++)
    for (size_t k = 0; k < KERNELS; k++)
      broken |= run_load(&loads[l], kernels_s[k], trials);
  if (broken) printf("BROKEN: see the rates marked with !\n");
  return broken;
}
