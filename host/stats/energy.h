/* Measures energy by a counter that moves in steps, and by readings of the power between them. Does no I/O: the caller
 * keeps the load running and reads the sensor that this code names.
 *
 * An NVML counter moves every 100 ms. A window reaches from one move to another one, because otherwise its energy would
 * be wrong by up to one step at each end. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct energy_plan {
  double preheat_s; /* longest time of load before the window, because a hot device draws more power */
  /* if there are power readings: after this time the load before the window ends as soon as the power is steady */
  double preheat_least_s;
  double window_s; /* after this time the window ends with the next move of the counter */
  /* shortest window. After this time the window ends with the first move of the counter for which the times of both
   * ends are known well enough (`uncertainty`) */
  double window_least_s;
  /* The times of the window's ends are known well enough if their errors are at most this share of its length; the
   * power counts as steady if it changes by at most this share. 0: the load and the window last as long as they may. */
  double uncertainty;
  double give_up_s; /* if the counter does not move for this time, it counts as stuck */
  /* a value read from the counter is at most this old, however rarely the counter moves; 0: not known */
  double age_s;
  double power_s; /* interval between readings of the power */
};

enum energy_want { ENERGY_NOTHING, ENERGY_COUNTER, ENERGY_POWER, ENERGY_END };

/* Power readings averaged over a block of time, to tell when the power is steady. */
struct energy_block {
  int64_t from_ns;
  double watts; /* the sum of the readings */
  uint32_t readings;
  double former; /* mean of the block before; 0: there is none */
  bool steady;   /* the means of the last two blocks are about equal */
};

/* A move of the counter, which took the value `joules` at time `ns` +- `range_ns`. */
struct energy_move {
  double ns, range_ns, joules;
};

struct energy_meter {
  struct energy_plan plan;
  enum { ENERGY_PREHEAT, ENERGY_OPENING, ENERGY_INSIDE, ENERGY_CLOSING, ENERGY_DONE } phase;
  int64_t phase_ns; /* when the phase began */
  bool asked, stuck;
  /* asked_ns: when the counter was last read; joules: its value then */
  int64_t asked_ns;
  double joules;
  struct energy_move first, second, last;
  /* how many seconds must lie between the first move of the counter and the last one */
  double needed_s;
  struct energy_block block;
  /* number of moves of the counter that were seen; between the second and the last one the counter is not read */
  uint32_t moves;
  bool powered;
  int64_t power_ns, power_asked_ns;
  double power_w, power_joules, power_seconds;
  uint32_t readings;
};

/* The result of a window. NaN: not known. */
struct energy_window {
  bool stuck; /* the counter did not move: only the values from power readings are known */
  double joules, seconds, power_w;
  double power_unc_w;  /* uncertainty from the times of the two moves: half of the range in which each may lie */
  double step_s;       /* seconds between two moves of the counter */
  double integrated_w; /* mean of the power readings within the window */
  double disagreement; /* relative difference of the two powers: integrated_w / power_w - 1 */
  uint32_t readings;   /* number of power readings */
};

void energy_begin(struct energy_meter *meter, const struct energy_plan *plan, int64_t now_ns);

/* Returns which sensor to read now. Near the ends of the window it is the counter, as often as it can be read. Before
 * the window and within it, it is only the power. */
enum energy_want energy_wants(struct energy_meter *meter, int64_t now_ns);

/* Take a reading of the counter or of the power, with the times before and after it. Values that are not finite are
 * ignored. */
void energy_counter(struct energy_meter *meter, int64_t before_ns, int64_t after_ns, double joules);
void energy_power(struct energy_meter *meter, int64_t before_ns, int64_t after_ns, double watts);

void energy_result(const struct energy_meter *meter, struct energy_window *window);

/* State of a counter that starts again from 0 when it reaches `range` joules. energy_unwrap() returns the energy
 * without these jumps back. Between two readings less than `range` must pass. */
struct energy_unwrap {
  bool known;
  double raw, total;
};
double energy_unwrap(struct energy_unwrap *unwrap, double raw, double range);

/* The energy of one iteration: in total (joules), and without what the device draws when idle (net_joules).
 * energy_per_iteration() computes it for an iteration that takes `ns`; NaN if one of its arguments is NaN. */
struct energy_per_iteration {
  double joules, net_joules, relative_unc;
};
struct energy_per_iteration energy_per_iteration(const struct energy_window *window, double idle_w, double ns);

/* The energy figures of a row. NaN and empty texts: not known. */
struct energy_figures {
  double joules, net_joules; /* energy of one iteration; net_joules: without what the device draws when idle */
  double relative_unc;
  double power_w, idle_w;
  /* relative difference between the mean of the power readings and the power by the counter */
  double disagreement;
  char method[TEXT_SIZE]; /* "NVML counter, 5.10 s, back to back"; "unavailable: why"; empty: not requested */
  char fault[TEXT_SIZE];  /* why the figures are not reliable; empty: they are */
};
#define ENERGY_UNKNOWN ((struct energy_figures){NAN, NAN, NAN, NAN, NAN, NAN, "", ""})
