/* The scripted device: runs variants that are written for the CPU, but takes their times from a script
 * (fake/fake_script.h), so that tests know which results gpubench must report. Memory operations are those of the CPU
 * device. Times depend only on the script and on the sequence of slots (a slot is a series of consecutive samples of
 * one variant). Only the first sample of a slot is executed: its outputs are correct, and long slots cost little. */
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/rng.h"
#include "device/device.h"
#include "device/energy_source.h"
#include "fake_counter.h"
#include "fake_script.h"
#include "stats/energy.h"

/* The power drawn while something runs: steadily, or in pulses between which it is idle_w. */
struct fake_load {
  double watts;
  /* period of the pulses (0: steady power); share of the period in which a pulse lasts, and share at which it begins */
  double pulse_ns, pulse_duty, pulse_phase;
};
struct fake_energy {
  struct energy_model counter; /* the counter's model; step_ns in it is 0 if the script has no counter */
  double idle_w;
  struct fake_load load; /* the present load */
  double query_ns;       /* how long reading the counter takes; the load continues during that time */
  double range;          /* value at which the counter wraps around; 0: never */
};

/* The bus: a file that imitates a bus shared by several devices. Each scripted device holds a shared lock on it. A
 * device tests for an exclusive lock to see whether another one holds the file. */

static const struct flock shared = {.l_type = F_RDLCK, .l_whence = SEEK_SET}, whole = {.l_type = F_WRLCK};

/* Joins the bus of this file. Returns -1 if the file cannot be opened. A device leaves the bus when it closes the
 * descriptor or its process ends. */
static int fake_bus_join(const char *path) {
  struct flock lock = shared;
  const int bus = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (bus >= 0) fcntl(bus, F_OFD_SETLK, &lock);
  return bus;
}

static bool fake_bus_is_shared(int bus) {
  struct flock lock = whole;
  return bus >= 0 && fcntl(bus, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* ---- Scripted energy ---- */

struct fake_source {
  struct energy_source base;
  struct fake_energy *energy;
  struct energy_unwrap unwrap;
};

static struct fake_energy *energy_of(struct energy_source *source) {
  return ((struct fake_source *)source)->energy;
}

/* Returns the present power. *ns becomes how long it stays the same. */
static double watts_now(const struct fake_energy *energy, double *ns) {
  const struct fake_load *load = &energy->load;
  *ns = HUGE_VAL;
  if (!(load->pulse_ns > 0)) return load->watts;
  double into = fmod(energy->counter.now_ns / load->pulse_ns + 1 - load->pulse_phase, 1);
  bool on = into < load->pulse_duty;
  *ns = fmax(1, ((on ? load->pulse_duty : 1) - into) * load->pulse_ns);
  return on ? load->watts : energy->idle_w;
}

/* Advances the energy counter by `ns` nanoseconds in which this load draws power. */
static void fake_energy_spend(struct fake_energy *energy, double ns, const struct fake_load *load) {
  energy->load = *load;
  while (energy->counter.step_ns > 0 && ns > 0) {
    double steady, watts = watts_now(energy, &steady), part = fmin(ns, steady);
    energy_model_advance(&energy->counter, part, watts);
    ns -= part;
  }
}

static double read_fake_energy(struct energy_source *source) {
  struct fake_energy *energy = energy_of(source);
  double raw = energy_model_read(&energy->counter);
  return energy->range > 0 ? energy_unwrap(&((struct fake_source *)source)->unwrap, raw, energy->range) : raw;
}

static double fake_joules(struct energy_source *source) {
  double joules = read_fake_energy(source);
  const struct fake_load load = energy_of(source)->load; /* the load continues during the reading */
  fake_energy_spend(energy_of(source), energy_of(source)->query_ns, &load);
  return joules;
}

static double fake_watts(struct energy_source *source) {
  double steady;
  (void)read_fake_energy(source); /* reads the counter so that no wrap-around is missed */
  return watts_now(energy_of(source), &steady);
}

static int64_t fake_now(struct energy_source *source) {
  return (int64_t)energy_of(source)->counter.now_ns;
}

static void fake_rest(struct energy_source *source, double seconds) {
  const struct fake_load idle = {.watts = energy_of(source)->idle_w};
  fake_energy_spend(energy_of(source), seconds * 1e9, &idle);
}

static void fake_close_energy(struct energy_source *source) {
  free(source);
}

/* Opens the scripted counter. NULL with the reason in `why` if the script has none. `energy` must live longer than the
 * source. */
static struct energy_source *fake_energy_open(struct fake_energy *energy, char *why, size_t size) {
  if (!(energy->counter.step_ns > 0)) {
    snprintf(why, size, "the script has no energy_step_ms");
    return NULL;
  }
  struct fake_source *source = xcalloc(1, sizeof *source);
  source->base =
      (struct energy_source){"scripted counter", 0, fake_joules, fake_watts, fake_now, fake_rest, fake_close_energy};
  source->energy = energy;
  energy->counter.range = energy->range;
  return &source->base;
}

/* The state from which the times of one variant of a case are made: its random numbers, its slow noise (ar1), and how
 * many slots it had. */
struct course {
  char name[KEY_SIZE + ID_SIZE * 2];
  uint64_t key, drawn, slots;
  double ar1;
};

struct device_fake {
  struct device base;
  struct device_ops ops;
  struct fake_script script;
  struct course *courses;
  size_t course_count;
  uint64_t state_key, state_drawn;
  bool slow_state;
  struct fake_energy energy;
  int bus;           /* descriptor of the bus's file; -1: none */
  bool endless;      /* true if the work that is enqueued never ends */
  const char *until; /* the work that is enqueued ends when this file exists; NULL: no work waits for a file */
  /* what fake_slot() times: 0: a variant; otherwise an empty launch, and this is 1 + the argument of fake_nothing() */
  uint32_t nothing;
};

/* ---- Times --------------------------------------------------------------------------------------------------- */

static double uniform(uint64_t key, uint64_t *drawn) {
  return ((double)(rng_bits(key, (*drawn)++) >> 11) + 0.5) / 9007199254740992.0;
}

/* returns a normally distributed number, by the method of Box and Muller */
static double normal(struct course *course) {
  double radius = sqrt(-2 * log(uniform(course->key, &course->drawn)));
  return radius * cos(6.283185307179586 * uniform(course->key, &course->drawn));
}

static const struct fake_noise *noise_of(const struct device_fake *fake, const char *variant, const char *name) {
  const struct fake_noise *rest = NULL;
  for (size_t i = 0; i < fake->script.noise_count; i++) {
    const struct fake_noise *noise = &fake->script.noises[i];
    if (strcmp(noise->glob, "*") == 0)
      rest = noise;
    else if (text_glob(noise->glob, variant) || text_glob(noise->glob, name))
      return noise;
  }
  return rest;
}

static struct course *course_of(struct device_fake *fake, const char *name) {
  for (size_t i = 0; i < fake->course_count; i++)
    if (strcmp(fake->courses[i].name, name) == 0) return &fake->courses[i];
  fake->courses = (struct course *)xrealloc(fake->courses, fake->course_count + 1, sizeof *fake->courses);
  struct course *course = &fake->courses[fake->course_count++];
  *course = (struct course){.key = rng_key((uint64_t)fake->script.seed, rng_text(name))};
  text_copy(course->name, sizeof course->name, name);
  course->ar1 = normal(course);
  return course;
}

/* Returns the factor that all samples of a slot share. Also advances the clock state of the device and the variant's
 * slow noise by one slot. */
static double slot_factor(struct device_fake *fake, const struct fake_noise *noise, struct course *course) {
  double slots = (double)course->slots++;
  if (uniform(fake->state_key, &fake->state_drawn) < noise->state_switch) fake->slow_state = !fake->slow_state;
  double factor = exp(noise->slot_sd * normal(course) + noise->ar1_sd * course->ar1);
  course->ar1 = noise->ar1_rho * course->ar1 + sqrt(1 - noise->ar1_rho * noise->ar1_rho) * normal(course);
  if (fake->slow_state) factor *= 1 + noise->state_gap;
  if (slots >= noise->throttle_from) factor *= noise->throttle_factor;
  return factor * fmax(1 + noise->drift * slots, 0.01);
}

/* Returns the time of one sample as the clock shows it, a multiple of the clock's step `tick_ns`. At which point of a
 * step the sample begins is random, so that the times are right on average. */
static double sample(const struct fake_noise *noise, struct course *course, double factor, double tick_ns) {
  double ns = noise->ns * factor * exp(noise->sample_sd * normal(course));
  if (uniform(course->key, &course->drawn) < noise->mode_p) ns *= 1 + noise->mode_gap;
  double tail = uniform(course->key, &course->drawn), length = -log(uniform(course->key, &course->drawn));
  if (tail < noise->tail_p) ns *= 1 + noise->tail_scale * length;
  double phase = uniform(course->key, &course->drawn);
  return tick_ns > 0 ? tick_ns * floor(ns / tick_ns + phase) : ns;
}

/* Imitates an empty launch: runs nothing and only remembers which kind of launch it was. fake_slot() then returns the
 * script's time of such a launch for each sample. */
static int fake_nothing(struct device *device, uint32_t shape) {
  struct device_fake *fake = (struct device_fake *)device;
  fake->nothing = 1 + shape;
  return 0;
}

/* Fills in the clock, temperature and power that the script gives, with a lower clock while the variant is
 * throttled. */
static void note_scripted_state(const struct device_fake *fake, const struct fake_noise *noise,
                                const struct course *course, struct slot_state *state) {
  const struct fake_script *script = &fake->script;
  bool throttled = (double)course->slots > noise->throttle_from && noise->throttle_factor > 1;
  state->sm_clock_mhz = script->sm_clock_mhz / (throttled ? noise->throttle_factor : 1);
  state->temperature_c = script->temperature_c;
  state->power_w = script->power_w;
  state->throttle = throttled ? THROTTLE_POWER_CAP : isnan(script->sm_clock_mhz) ? 0 : THROTTLE_NONE;
}

/* Returns true if a variant whose name matches the glob has run in this process. The name of a course consists of the
 * case's key, a space and the name of the variant. */
static bool has_run(const struct device_fake *fake, const char *glob) {
  for (size_t i = 0; i < fake->course_count; i++) {
    const char *space = strrchr(fake->courses[i].name, ' ');
    if (space != NULL && text_glob(glob, space + 1)) return true;
  }
  return false;
}

static void sample_slot(struct device_fake *fake, const struct slot_request *request, const struct fake_noise *noise,
                        const char *name, double *ns, struct slot_state *state) {
  struct course *course = course_of(fake, name);
  double factor = slot_factor(fake, noise, course), spent_ns = 0;
  if (fake_bus_is_shared(fake->bus)) factor *= fake->script.bus_factor;
  if (noise->beside[0] != '\0' && has_run(fake, noise->beside)) factor *= noise->beside_factor;
  for (uint32_t i = 0; i < request->count; i++) {
    double sum = 0;
    for (uint32_t r = 0; r < request->replicas; r++)
      sum += sample(noise, course, factor, request->replicas == 1 ? fake->script.tick_ns : 0);
    ns[i] = sum / request->replicas + fake->script.launch_overhead_ns;
    spent_ns += sum;
  }
  const struct fake_load load = {isnan(noise->busy_w) ? fake->script.power_w : noise->busy_w, noise->pulse_ms * 1e6,
                                 noise->pulse_duty, noise->pulse_phase};
  fake_energy_spend(&fake->energy, spent_ns, &load);
  note_scripted_state(fake, noise, course, state);
}

static enum slot_result fake_slot(struct device *device, const struct slot_request *request, double *ns,
                                  struct slot_state *state, struct err *err) {
  struct device_fake *fake = (struct device_fake *)device;
  char name[sizeof fake->courses->name];
  snprintf(name, sizeof name, "%s %s", request->key, request->variant);
  *state = SLOT_STATE_UNKNOWN;
  if (fake->script.serial != 0 && !request->unblocked) {
    err_set(err, EXIT_DEVICE, "kernel launches are blocking, as the device's script says");
    return SLOT_SERIAL;
  }
  if (request->count == 0) return SLOT_OK;
  fake->nothing = 0;
  int (*const calls[])(void *context) = {request->before, request->last, request->sudden,
                                         request->ready,  request->run,  request->done};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if (calls[i] != NULL && calls[i](request->context) != 0) return SLOT_CALLBACK;
  const struct fake_noise *noise = noise_of(fake, request->variant, name);
  if (fake->nothing > 0) {
    for (uint32_t i = 0; i < request->count; i++)
      ns[i] = fake->script.launch_overhead_ns + 2 * fake->script.launch_overhead_unc_ns * (fake->nothing - 1);
  } else if (noise != NULL) {
    sample_slot(fake, request, noise, name, ns, state);
    fake->endless = noise->endless != 0;
    fake->until = noise->until[0] != '\0' ? noise->until : NULL;
  } else {
    err_set(err, EXIT_DEVICE, "%s: no section for variant '%s' and no [*]", device->facts.spec, request->variant);
    return SLOT_DEVICE;
  }
  return SLOT_OK;
}

static int fake_sync(struct device *device, struct err *err) {
  (void)err;
  struct device_fake *fake = (struct device_fake *)device;
  const struct timespec moment = {.tv_nsec = 10000000};
  while (fake->endless)
    pause();
  while (fake->until != NULL && access(fake->until, F_OK) != 0)
    nanosleep(&moment, NULL);
  fake->until = NULL;
  return 0;
}

static double fake_untimed_ns(struct device *device, const char *key, const char *variant) {
  char name[KEY_SIZE + 2 * ID_SIZE + 1];
  snprintf(name, sizeof name, "%s %s", key, variant);
  const struct fake_noise *noise = noise_of((struct device_fake *)device, variant, name);
  return noise != NULL ? noise->untimed_ns : 0;
}

/* ---- Opening ------------------------------------------------------------------------------------------------- */

static void fake_conditions(struct device *device, struct device_conditions *conditions) {
  const struct fake_script *script = &((struct device_fake *)device)->script;
  *conditions = CONDITIONS_UNKNOWN;
  conditions->sm_clock_mhz = script->sm_clock_mhz;
  conditions->temperature_c = script->temperature_c;
  conditions->power_w = script->power_w;
  conditions->power_limit_w = script->power_limit_w;
}

static struct energy_source *fake_energy(struct device *device, char *why, size_t size) {
  return fake_energy_open(&((struct device_fake *)device)->energy, why, size);
}

static void set_energy(struct fake_energy *energy, const struct fake_script *script) {
  energy->counter = (struct energy_model){
      .step_ns = script->energy_step_ms * 1e6, .lag_ns = script->energy_lag_ms * 1e6, .seen = script->energy_seen};
  energy->range = script->energy_range_j;
  energy->idle_w = script->idle_w;
  energy->query_ns = 3.3e6; /* as measured on an H200 */
}

static void fake_close(struct device *device) {
  struct device_fake *fake = (struct device_fake *)device;
  if (fake == NULL) return;
  if (fake->bus >= 0) close(fake->bus);
  fake_script_free(&fake->script);
  free(fake->courses);
  free(fake->base.others);
  free(fake);
}

static int fake_facts(struct device_fake *fake, const char *path, struct err *err) {
  struct device *cpu;
  if (device_cpu_open(&cpu, err) != 0) return -1;
  struct device_facts *facts = &fake->base.facts;
  *facts = cpu->facts;
  cpu->ops->close(cpu);
  snprintf(facts->spec, sizeof facts->spec, "fake:%s", path);
  text_copy(facts->name, sizeof facts->name, fake->script.name);
  text_copy(facts->uuid, sizeof facts->uuid, fake->script.uuid);
  text_copy(facts->driver, sizeof facts->driver, fake->script.driver);
  if (fake->script.threads > 0) facts->threads = (int64_t)fake->script.threads;
  facts->tick_ns = fake->script.tick_ns;
  facts->ceilings = fake->script.ceilings > 0;
  return 0;
}

/* Imitates an allocation on another device: the memory is host memory, as for this device. */
static void *fake_other_alloc(struct device *device, uint32_t other, size_t bytes) {
  (void)other;
  void *memory = device->ops->alloc(device, MEMORY_DEVICE, bytes);
  return memory != NULL ? memset(memory, 0xFF, bytes) : NULL;
}

static void *fake_other_stream(struct device *device, uint32_t other) {
  (void)device, (void)other;
  return NULL;
}

/* Describes the other devices that the script says this machine has. They differ from this device only in their
 * names. */
static void fake_others(struct device_fake *fake) {
  const struct device_facts *own = &fake->base.facts;
  fake->base.other_count = (uint32_t)fake->script.others;
  fake->base.others = (struct device_facts *)xcalloc(fake->base.other_count, sizeof *fake->base.others);
  for (uint32_t i = 0; i < fake->base.other_count; i++) {
    struct device_facts *facts = &fake->base.others[i];
    *facts = *own;
    snprintf(facts->spec, sizeof facts->spec, "%.*s+%u", TEXT_SIZE - 16, own->spec, i + 1);
    if (own->uuid[0] != '\0') snprintf(facts->uuid, sizeof facts->uuid, "%.*s+%u", ID_SIZE - 16, own->uuid, i + 1);
  }
}

int device_fake_open(const char *script, struct device **device, struct err *err) {
  struct device_fake *fake = (struct device_fake *)xcalloc(1, sizeof *fake);
  fake->bus = -1;
  if (fake_script_read(&fake->script, script, err) != 0 || fake_facts(fake, script, err) != 0) {
    fake_close(&fake->base);
    return -1;
  }
  if (fake->script.absent != 0) {
    fake_close(&fake->base);
    return err_set(err, EXIT_DEVICE, "fake:%s cannot be used: its script says so", script);
  }
  const struct timespec opening = {(time_t)fake->script.open_s, (long)(fmod(fake->script.open_s, 1) * 1e9)};
  nanosleep(&opening, NULL);
  if (fake->script.bus[0] != '\0') fake->bus = fake_bus_join(fake->script.bus);
  fake->ops = device_cpu_ops;
  fake->ops.slot = fake_slot;
  fake->ops.sync = fake_sync;
  fake->ops.conditions = fake_conditions;
  fake->ops.untimed_ns = fake_untimed_ns;
  fake->ops.energy = fake_energy;
  set_energy(&fake->energy, &fake->script);
  fake->ops.null_shapes = 2;
  fake->ops.null_run = fake_nothing;
  fake->ops.close = fake_close;
  fake->ops.other_alloc = fake_other_alloc;
  fake->ops.other_stream = fake_other_stream;
  fake_others(fake);
  fake->base.ops = &fake->ops;
  fake->base.facts.traits |= DEVICE_SCRIPTED;
  fake->state_key = rng_key((uint64_t)fake->script.seed, 0);
  fake->slow_state = uniform(fake->state_key, &fake->state_drawn) < 0.5;
  *device = &fake->base;
  return 0;
}
