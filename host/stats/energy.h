/* Joules from a counter that moves in steps, and from readings of the power beside it. Pure: others keep the load going
 * and ask; this says when to ask and what the answers mean.
 *
 * An NVML counter takes a new value every 100 ms: a window that begins and ends anywhere is off by up to one step at
 * each end. So a window reaches from one move of the counter to another, while the load runs past both. */
#ifndef STATS_ENERGY_H
#define STATS_ENERGY_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct energy_plan {
  double preheat_s;       /* of load before the window, at most: what is hot draws more */
  double preheat_least_s; /* from here on it ends when the power is steady; where no readings tell, it does not */
  double window_s;        /* at most, but for the step in which it ends */
  double window_least_s;  /* from here on it ends when the moments of its two moves are known well enough */
  double uncertainty;     /* relative: so well, and so steady; 0: both have their full length */
  double give_up_s;       /* so long without a move, and the counter is stuck */
  double age_s;           /* a value of the counter is never older, whatever its step; 0: not known */
  double power_s;         /* between readings of the power */
};

enum energy_want { ENERGY_NOTHING, ENERGY_COUNTER, ENERGY_POWER, ENERGY_END };

/* The power from one reading to the next, as a mean over a while. */
struct energy_block {
  int64_t from_ns;
  double watts; /* their sum */
  uint32_t readings;
  double former; /* mean of the block before; 0: there is none */
  bool steady;   /* the two last are alike */
};

/* A move of the counter: it had its new value at `ns`, give or take `range_ns`. */
struct energy_move {
  double ns, range_ns, joules;
};

struct energy_meter {
  struct energy_plan plan;
  enum { ENERGY_PREHEAT, ENERGY_OPENING, ENERGY_INSIDE, ENERGY_CLOSING, ENERGY_DONE } phase;
  int64_t phase_ns; /* when it began */
  bool asked, stuck;
  int64_t asked_ns; /* the last question; and its answer */
  double joules;
  struct energy_move first, second, last;
  double needed_s; /* from the first move to the last */
  struct energy_block block;
  uint32_t moves; /* that were seen; between the second and the last nobody looked */
  bool powered;
  int64_t power_ns, power_asked_ns;
  double power_w, power_joules, power_seconds;
  uint32_t readings;
};

/* NaN: not known. */
struct energy_window {
  bool stuck; /* the counter did not move: nothing below is known but what the power readings gave */
  double joules, seconds, power_w;
  double power_unc_w;  /* what the moments of the two moves leave open: half a range */
  double step_s;       /* from one move of the counter to the next */
  double integrated_w; /* mean of the power readings within the window */
  double disagreement; /* integrated_w / power_w - 1 */
  uint32_t readings;   /* of the power */
};

void energy_begin(struct energy_meter *meter, const struct energy_plan *plan, int64_t now_ns);

/* What to ask now. Near the ends of the window the counter, as fast as it answers; within it and before it the power
 * alone. */
enum energy_want energy_wants(struct energy_meter *meter, int64_t now_ns);

/* The answers, each with the moments before and after the question. What is not finite was no answer. */
void energy_counter(struct energy_meter *meter, int64_t before_ns, int64_t after_ns, double joules);
void energy_power(struct energy_meter *meter, int64_t before_ns, int64_t after_ns, double watts);

void energy_result(const struct energy_meter *meter, struct energy_window *window);

/* A counter that begins anew at `range` joules: its true reading, from successive raw ones less than one range apart.
 */
struct energy_unwrap {
  bool known;
  double raw, total;
};
double energy_unwrap(struct energy_unwrap *unwrap, double raw, double range);

/* Energy of one iteration of a load that drew `power_w` and took `ns` each, less what the device draws idle. NaN where
 * one of them is. */
struct energy_per_iteration {
  double joules, net_joules, relative_unc;
};
struct energy_per_iteration energy_per_iteration(const struct energy_window *window, double idle_w, double ns);

/* What a row says. NaN and empty: not known. */
struct energy_figures {
  double joules, net_joules; /* of one iteration; net: less what the device draws idle */
  double relative_unc;
  double power_w, idle_w;
  double disagreement;    /* of the power readings with the counter, relative */
  char method[TEXT_SIZE]; /* "NVML counter, 5.10 s, back to back"; "unavailable: why"; empty: not asked for */
  char fault[TEXT_SIZE];  /* why not to trust it */
};
#define ENERGY_UNKNOWN ((struct energy_figures){NAN, NAN, NAN, NAN, NAN, NAN, "", ""})

#endif
