/* The state of a machine while something was timed, and the words for what slows it down. Pure: others read it. */
#ifndef MODEL_CONDITIONS_H
#define MODEL_CONDITIONS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "stats/slot.h"

/* Why a device runs slower than it could: bits. No bit: not known. */
#define THROTTLE_POWER_CAP UINT32_C(1)
#define THROTTLE_HARDWARE UINT32_C(2) /* a slowdown by the hardware that does not say why */
#define THROTTLE_THERMAL UINT32_C(4)  /* by the driver, or of a CPU */
#define THROTTLE_POWER_BRAKE UINT32_C(8)
#define THROTTLE_HARDWARE_THERMAL UINT32_C(16)
#define THROTTLE_SYNC_BOOST UINT32_C(32) /* waits for a slower GPU of its group */
#define THROTTLE_BOARD_LIMIT UINT32_C(64)
#define THROTTLE_RELIABILITY UINT32_C(128)
#define THROTTLE_NONE (UINT32_C(1) << 31) /* asked, and there was nothing */

static inline bool throttle_slowed(uint32_t bits) {
  return (bits & ~THROTTLE_NONE) != 0;
}

/* The device around a measurement. NaN: not known. */
struct device_conditions {
  double sm_clock_mhz, temperature_c, power_w, power_limit_w;
  uint32_t throttle;    /* THROTTLE_* */
  int32_t others;       /* processes of others on it; -1 */
  char note[TEXT_SIZE]; /* what else is wrong, or why all this is unavailable; empty: nothing */
};

/* The host's processors between two readings (machine/cpu_times.h); NaN and -1: not known. */
struct host_usage {
  double seconds;           /* from the first to the second; 0: there were none */
  double wanted_s, own_s;   /* processor time: wanted by all on the processors we may use, and used by this process */
  double steal_share;       /* of what was wanted: kept by the hypervisor */
  double others_share;      /* of what there is: used by other processes */
  double quota_share;       /* of the control group's periods: those in which it was held back */
  int64_t involuntary, hot; /* switches that this process did not want; times the processors were slowed for heat */
};

#define CONDITIONS_UNKNOWN     \
  ((struct device_conditions){ \
      .sm_clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN, .power_limit_w = NAN, .others = -1})
#define HOST_USAGE_UNKNOWN ((struct host_usage){0, NAN, NAN, NAN, NAN, NAN, -1, -1})

/* "power cap; thermal slowdown"; "none"; empty when it is not known. */
void throttle_text(uint32_t bits, char *to, size_t size);
/* The bits of such a text; unknown words are ignored. */
uint32_t throttle_parse(const char *text);

/* Two stretches of one kind of work as one, for restarts. */
void host_usage_add(struct host_usage *sum, const struct host_usage *more);

/* What kept the host from working freely, worst first, appended with "; ". A GPU that is timed by its own clock suffers
 * less from the host (`on_gpu`). True: others took part in it. */
bool host_usage_faults(const struct host_usage *usage, bool on_gpu, char *to, size_t size);

/* ---- A case, from all it measured ---- */

struct slot_series { /* of one variant */
  const struct slot *slots;
  size_t count;
};

struct case_conditions {
  double sm_clock_mhz;           /* median over the slots */
  double temperature_c, power_w; /* highest */
  double throttled_share;        /* of the rounds in which the device was asked: those in which it was slowed down */
  double differing_share;        /* of the rounds with several clocks: those in which they lie more than 1% apart */
  uint32_t throttle;             /* all that was seen */
  uint32_t contended;            /* 1: others used the device, or the processors whose clock times it */
  char note[TEXT_SIZE];          /* the faults in words: "throttled in 12% of rounds: power cap; clocks differ" */
};

/* The median of the slots' clocks, for one variant; NaN. */
double conditions_clock(const struct slot *slots, size_t count);

/* `end` is the device after the last round, and stands in where slots know nothing; it and `host` may be NULL. */
void conditions_of_case(const struct slot_series *variants, size_t count, const struct device_conditions *end,
                        const struct host_usage *host, bool on_gpu, struct case_conditions *conditions);

#endif
