/* A device that runs cpu variants but takes their times from a script, so that the whole host can be tested against
 * known truth. Memory operations are the CPU's. The script is an INI file:
 *
 *   [device]   name, uuid, driver, threads, tick_ns, seed, serial, absent, floor_ns, floor_unc_ns, sm_clock_mhz,
 * temperature_c, power_w, power_limit_w; and of its energy counter, if it has one: energy_step_ms, energy_lag_ms,
 *              energy_seen (share of the time that it looks), energy_range_j (where it begins anew), idle_w
 *   [GLOB]     how long the variants whose names match take, and with what noise; [*] serves those without a section
 *
 * A glob is also tried on "CASE-KEY VARIANT". The first section that matches holds; the times depend on nothing but the
 * script and the sequence of slots. Of a slot only the first sample is executed: its outputs are right, and long slots
 * stay cheap. */
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "device/device.h"
#include "device/fake_energy.h"

/* All standard deviations, gaps and scales are shares of `ns`. */
struct noise {
  char glob[ID_SIZE];
  double ns;                             /* the true time: the median without clock states and modes */
  double sample_sd, slot_sd;             /* lognormal, of each sample and of each slot */
  double tail_p, tail_scale;             /* with this probability a sample is longer, by an exponential share */
  double ar1_rho, ar1_sd;                /* slow noise of each variant's own, from slot to slot */
  double state_gap, state_switch;        /* two clock states of the device; probability of switching at a slot */
  double mode_gap, mode_p;               /* two speeds of the kernel; probability of the slower one */
  double drift;                          /* added at each slot of a variant */
  double throttle_from, throttle_factor; /* from this slot of a variant on, the time times the factor */
  double busy_w;                         /* drawn while it runs; default: the device's power_w */
  double pulse_ms, pulse_duty;           /* it is drawn in pulses this far apart, for this share; 0: steadily */
  double pulse_phase;                    /* where in that time they begin: a share */
  uint32_t seen;
};

struct device_script {
  char name[TEXT_SIZE], uuid[ID_SIZE], driver[ID_SIZE];
  double threads, tick_ns, seed;
  double serial;                 /* 1: it does not run queued work, as under a profiler */
  double absent;                 /* 1: it cannot be opened */
  double floor_ns, floor_unc_ns; /* in every time; half the range of launches that do nothing */
  double sm_clock_mhz, temperature_c, power_w, power_limit_w;
  double energy_step_ms, energy_lag_ms, energy_seen, energy_range_j, idle_w;
  uint32_t seen;
};

/* What a variant of a case has behind it. */
struct course {
  char name[KEY_SIZE + ID_SIZE * 2];
  uint64_t key, drawn, slots;
  double ar1;
};

struct device_fake {
  struct device base;
  struct device_ops ops;
  struct device_script script;
  struct noise *noises;
  size_t noise_count;
  struct course *courses;
  size_t course_count;
  uint64_t state_key, state_drawn;
  bool slow_state;
  struct fake_energy energy;
  uint32_t nothing; /* the slot runs a launch that does nothing: 1 + its shape */
};

/* ---- The script ---------------------------------------------------------------------------------------------- */

/* A key of a section. Texts have their size as `most`. */
struct script_key {
  const char *name;
  bool text;
  size_t offset;
  double least, most;
};

#define NUMBER(type, key, least, most) \
  { #key, false, offsetof(struct type, key), least, most }
#define WORD(type, key, size) \
  { #key, true, offsetof(struct type, key), 0, size }

static const struct script_key device_keys[] = {
    WORD(device_script, name, TEXT_SIZE),
    WORD(device_script, uuid, ID_SIZE),
    WORD(device_script, driver, ID_SIZE),
    NUMBER(device_script, threads, 1, 4096),
    NUMBER(device_script, tick_ns, 0, 1e9),
    NUMBER(device_script, serial, 0, 1),
    NUMBER(device_script, absent, 0, 1),
    NUMBER(device_script, floor_ns, 0, 1e9),
    NUMBER(device_script, floor_unc_ns, 0, 1e9),
    NUMBER(device_script, sm_clock_mhz, 0, 1e5),
    NUMBER(device_script, temperature_c, -100, 200),
    NUMBER(device_script, power_w, 0, 1e5),
    NUMBER(device_script, power_limit_w, 0, 1e5),
    NUMBER(device_script, seed, 0, 9007199254740992.0),
    NUMBER(device_script, energy_step_ms, 0, 1e6),
    NUMBER(device_script, energy_lag_ms, 0, 1e6),
    NUMBER(device_script, energy_seen, 0.01, 1),
    NUMBER(device_script, energy_range_j, 0, 1e12),
    NUMBER(device_script, idle_w, 0, 1e5),
};

static const struct script_key noise_keys[] = {
    NUMBER(noise, ns, 1e-3, 1e15),        NUMBER(noise, sample_sd, 0, 1),
    NUMBER(noise, slot_sd, 0, 1),         NUMBER(noise, tail_p, 0, 1),
    NUMBER(noise, tail_scale, 0, 1000),   NUMBER(noise, ar1_rho, 0, 0.999),
    NUMBER(noise, ar1_sd, 0, 1),          NUMBER(noise, state_gap, 0, 10),
    NUMBER(noise, state_switch, 0, 1),    NUMBER(noise, mode_gap, 0, 10),
    NUMBER(noise, mode_p, 0, 1),          NUMBER(noise, drift, -0.1, 0.1),
    NUMBER(noise, throttle_from, 0, 1e9), NUMBER(noise, throttle_factor, 0.01, 100),
    NUMBER(noise, busy_w, 0, 1e5),        NUMBER(noise, pulse_ms, 0, 1e6),
    NUMBER(noise, pulse_duty, 0, 1),      NUMBER(noise, pulse_phase, 0, 1),
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct reader {
  const char *path;
  FILE *file;
  unsigned line;
  struct device_fake *fake;
  struct err *err;
};

static int script_error(struct reader *reader, const char *what, const char *name) {
  return err_set(reader->err, EXIT_USAGE, "%s:%u: %s '%s'", reader->path, reader->line, what, name);
}

/* Hands inih one line without its indentation (inih takes an indented line for more of the former value), and refuses
 * what inih would cut silently: long lines and section names of more than 49 characters. */
static char *next_line(char *line, int size, void *stream) {
  struct reader *reader = (struct reader *)stream;
  if (reader->err->exit_code != 0 || fgets(line, size, reader->file) == NULL) return NULL;
  reader->line++;
  size_t length = strlen(line);
  if ((length == 0 || line[length - 1] != '\n') && fgetc(reader->file) != EOF) {
    err_set(reader->err, EXIT_USAGE, "%s:%u: the line is longer than %d characters or holds a NUL", reader->path,
            reader->line, size - 2);
    return NULL;
  }
  size_t indent = strspn(line, " \t");
  memmove(line, line + indent, length - indent + 1);
  if (line[0] == '[' && strcspn(line, "]") > 50) {
    line[strcspn(line, "\n")] = '\0';
    script_error(reader, "section names have at most 49 characters:", line);
    return NULL;
  }
  return line;
}

static int unknown_key(struct reader *reader, const char *name, const char *const *names, size_t count) {
  const char *near = text_nearest(name, names, count);
  char list[TEXT_SIZE];
  if (near != NULL)
    return err_set(reader->err, EXIT_USAGE, "%s:%u: unknown key '%s'; did you mean '%s'?", reader->path, reader->line,
                   name, near);
  text_join(list, sizeof list, names, count);
  return err_set(reader->err, EXIT_USAGE, "%s:%u: unknown key '%s'; there are %s", reader->path, reader->line, name,
                 list);
}

static int set_value(struct reader *reader, const struct script_key *key, void *target, const char *value) {
  char *field = (char *)target + key->offset, *end;
  if (key->text) {
    if (!text_copy(field, (size_t)key->most, value)) return script_error(reader, "value too long:", key->name);
    text_sanitize(field);
    return 0;
  }
  double number = strtod(value, &end);
  if (end == value || *end != '\0' || !(number >= key->least && number <= key->most))
    return err_set(reader->err, EXIT_USAGE, "%s:%u: %s is '%s', not a number from %g to %g", reader->path, reader->line,
                   key->name, value, key->least, key->most);
  memcpy(field, &number, sizeof number);
  return 0;
}

static int set_key(struct reader *reader, const struct script_key *keys, size_t count, void *target, uint32_t *seen,
                   const char *name, const char *value) {
  const char *names[COUNT(noise_keys) + COUNT(device_keys)];
  for (size_t i = 0; i < count; i++)
    names[i] = keys[i].name;
  for (size_t i = 0; i < count; i++) {
    uint32_t bit = UINT32_C(1) << i;
    if (strcmp(names[i], name) != 0) continue;
    if ((*seen & bit) != 0) return script_error(reader, "repeated key", name);
    *seen |= bit;
    return set_value(reader, &keys[i], target, value);
  }
  return unknown_key(reader, name, names, count);
}

/* The section being read, or NULL where it was read before: a second one of a name would be a hidden edit. */
static struct noise *noise_section(struct reader *reader, const char *section) {
  struct device_fake *fake = reader->fake;
  for (size_t i = 0; i < fake->noise_count; i++)
    if (strcmp(fake->noises[i].glob, section) == 0) {
      if (i + 1 == fake->noise_count) return &fake->noises[i];
      script_error(reader, "repeated section", section);
      return NULL;
    }
  fake->noises = (struct noise *)xrealloc(fake->noises, fake->noise_count + 1, sizeof *fake->noises);
  struct noise *noise = &fake->noises[fake->noise_count++];
  *noise = (struct noise){.throttle_from = INFINITY, .throttle_factor = 1, .busy_w = NAN};
  text_copy(noise->glob, sizeof noise->glob, section);
  return noise;
}

/* inih's callback: non-zero is success. inih goes on after an error; the first message is kept. */
static int take(void *user, const char *section, const char *name, const char *value) {
  struct reader *reader = (struct reader *)user;
  struct device_script *script = &reader->fake->script;
  if (section[0] == '\0') return script_error(reader, "key outside a section:", name) == 0;
  if (strcmp(section, "device") == 0)
    return set_key(reader, device_keys, COUNT(device_keys), script, &script->seen, name, value) == 0;
  struct noise *noise = noise_section(reader, section);
  return noise != NULL && set_key(reader, noise_keys, COUNT(noise_keys), noise, &noise->seen, name, value) == 0;
}

static int check_noises(const struct device_fake *fake, const char *path, struct err *err) {
  for (size_t i = 0; i < fake->noise_count; i++)
    if (!(fake->noises[i].ns > 0))
      return err_set(err, EXIT_USAGE, "%s: section [%s] lacks ns", path, fake->noises[i].glob);
  return 0;
}

/* The first error is reported: a line that inih does not understand does not stop it, and may cause later ones. */
static int read_script(struct device_fake *fake, const char *path, struct err *err) {
  struct reader reader = {path, fopen(path, "re"), 0, fake, err};
  if (reader.file == NULL) return err_set(err, EXIT_DEVICE, "fake device: cannot open '%s'", path);
  int bad_line = ini_parse_stream(next_line, &reader, take, &reader);
  if (bad_line > 0 && (unsigned)bad_line < reader.line) *err = (struct err){0};
  if (ferror(reader.file)) err_set(err, EXIT_DEVICE, "fake device: cannot read '%s'", path);
  if (bad_line > 0) err_set(err, EXIT_USAGE, "%s:%d: neither [section] nor key = value", path, bad_line);
  if (bad_line < 0) err_set(err, EXIT_DEVICE, "fake device: no memory to read '%s'", path);
  fclose(reader.file);
  if (err->exit_code == 0) check_noises(fake, path, err);
  text_sanitize(err->text);
  return err->exit_code == 0 ? 0 : -1;
}

/* ---- Times --------------------------------------------------------------------------------------------------- */

static double uniform(uint64_t key, uint64_t *drawn) {
  return ((double)(rng_bits(key, (*drawn)++) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct course *course) { /* Box and Muller */
  double radius = sqrt(-2 * log(uniform(course->key, &course->drawn)));
  return radius * cos(6.283185307179586 * uniform(course->key, &course->drawn));
}

static const struct noise *noise_of(const struct device_fake *fake, const char *variant, const char *name) {
  const struct noise *rest = NULL;
  for (size_t i = 0; i < fake->noise_count; i++) {
    const struct noise *noise = &fake->noises[i];
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

/* What all samples of a slot share; moves the device's clock state and the variant's course on by one slot. */
static double slot_factor(struct device_fake *fake, const struct noise *noise, struct course *course) {
  double slots = (double)course->slots++;
  if (uniform(fake->state_key, &fake->state_drawn) < noise->state_switch) fake->slow_state = !fake->slow_state;
  double factor = exp(noise->slot_sd * normal(course) + noise->ar1_sd * course->ar1);
  course->ar1 = noise->ar1_rho * course->ar1 + sqrt(1 - noise->ar1_rho * noise->ar1_rho) * normal(course);
  if (fake->slow_state) factor *= 1 + noise->state_gap;
  if (slots >= noise->throttle_from) factor *= noise->throttle_factor;
  return factor * fmax(1 + noise->drift * slots, 0.01);
}

/* One reading of the clock: its ticks fall anywhere in the sample, so that readings are right on average. */
static double sample(const struct noise *noise, struct course *course, double factor, double tick_ns) {
  double ns = noise->ns * factor * exp(noise->sample_sd * normal(course));
  if (uniform(course->key, &course->drawn) < noise->mode_p) ns *= 1 + noise->mode_gap;
  double tail = uniform(course->key, &course->drawn), length = -log(uniform(course->key, &course->drawn));
  if (tail < noise->tail_p) ns *= 1 + noise->tail_scale * length;
  double phase = uniform(course->key, &course->drawn);
  return tick_ns > 0 ? tick_ns * floor(ns / tick_ns + phase) : ns;
}

/* Launches that do nothing make themselves known by being run. */
static int fake_nothing(struct device *device, uint32_t shape) {
  struct device_fake *fake = (struct device_fake *)device;
  fake->nothing = 1 + shape;
  return 0;
}

static void sample_nothing(const struct device_fake *fake, const struct slot_request *request, double *ns) {
  for (uint32_t i = 0; i < request->count; i++)
    ns[i] = fake->script.floor_ns + 2 * fake->script.floor_unc_ns * (fake->nothing - 1);
}

/* What the script says, slower by as much as the variant is throttled. */
static void note_state(const struct device_fake *fake, const struct noise *noise, const struct course *course,
                       struct slot_state *state) {
  const struct device_script *script = &fake->script;
  bool throttled = (double)course->slots > noise->throttle_from && noise->throttle_factor > 1;
  state->sm_clock_mhz = script->sm_clock_mhz / (throttled ? noise->throttle_factor : 1);
  state->temperature_c = script->temperature_c;
  state->power_w = script->power_w;
  state->throttle = throttled ? THROTTLE_POWER_CAP : isnan(script->sm_clock_mhz) ? 0 : THROTTLE_NONE;
}

static void sample_slot(struct device_fake *fake, const struct slot_request *request, const struct noise *noise,
                        const char *name, double *ns, struct slot_state *state) {
  struct course *course = course_of(fake, name);
  double factor = slot_factor(fake, noise, course), spent_ns = 0;
  for (uint32_t i = 0; i < request->count; i++) {
    double sum = 0;
    for (uint32_t r = 0; r < request->replicas; r++)
      sum += sample(noise, course, factor, request->replicas == 1 ? fake->script.tick_ns : 0);
    ns[i] = sum / request->replicas + fake->script.floor_ns;
    spent_ns += sum;
  }
  const struct fake_load load = {isnan(noise->busy_w) ? fake->script.power_w : noise->busy_w, noise->pulse_ms * 1e6,
                                 noise->pulse_duty, noise->pulse_phase};
  fake_energy_spend(&fake->energy, spent_ns, &load);
  note_state(fake, noise, course, state);
}

static enum slot_result fake_slot(struct device *device, const struct slot_request *request, double *ns,
                                  struct slot_state *state, struct err *err) {
  struct device_fake *fake = (struct device_fake *)device;
  char name[sizeof fake->courses->name];
  snprintf(name, sizeof name, "%s %s", request->key, request->variant);
  *state = SLOT_STATE_UNKNOWN;
  if (fake->script.serial != 0 && !request->unblocked) {
    err_set(err, EXIT_DEVICE, "the device does not run queued work, says its script");
    return SLOT_SERIAL;
  }
  if (request->count == 0) return SLOT_OK;
  fake->nothing = 0;
  if (request->before != NULL && request->before(request->context) != 0) return SLOT_CALLBACK;
  if (request->run(request->context) != 0) return SLOT_CALLBACK;
  const struct noise *noise = noise_of(fake, request->variant, name);
  if (fake->nothing > 0) {
    sample_nothing(fake, request, ns);
  } else if (noise != NULL) {
    sample_slot(fake, request, noise, name, ns, state);
  } else {
    err_set(err, EXIT_DEVICE, "%s: no section for variant '%s' and no [*]", device->facts.spec, request->variant);
    return SLOT_DEVICE;
  }
  return SLOT_OK;
}

/* ---- Opening ------------------------------------------------------------------------------------------------- */

static void fake_conditions(struct device *device, struct device_conditions *conditions) {
  const struct device_script *script = &((struct device_fake *)device)->script;
  *conditions = CONDITIONS_UNKNOWN;
  conditions->sm_clock_mhz = script->sm_clock_mhz;
  conditions->temperature_c = script->temperature_c;
  conditions->power_w = script->power_w;
  conditions->power_limit_w = script->power_limit_w;
}

static struct energy_source *fake_energy(struct device *device, char *why, size_t size) {
  return fake_energy_open(&((struct device_fake *)device)->energy, why, size);
}

static void set_energy(struct fake_energy *energy, const struct device_script *script) {
  energy->counter = (struct energy_model){
      .step_ns = script->energy_step_ms * 1e6, .lag_ns = script->energy_lag_ms * 1e6, .seen = script->energy_seen};
  energy->range = script->energy_range_j;
  energy->idle_w = script->idle_w;
  energy->query_ns = 3.3e6; /* as on an H200 */
}

static void fake_close(struct device *device) {
  struct device_fake *fake = (struct device_fake *)device;
  if (fake == NULL) return;
  free(fake->noises);
  free(fake->courses);
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
  return 0;
}

int device_fake_open(const char *script, struct device **device, struct err *err) {
  struct device_fake *fake = (struct device_fake *)xcalloc(1, sizeof *fake);
  fake->script = (struct device_script){.name = "fake device",
                                        .tick_ns = 1,
                                        .seed = 1,
                                        .sm_clock_mhz = NAN,
                                        .temperature_c = NAN,
                                        .power_w = NAN,
                                        .power_limit_w = NAN,
                                        .energy_seen = 1};
  if (read_script(fake, script, err) != 0 || fake_facts(fake, script, err) != 0) {
    fake_close(&fake->base);
    return -1;
  }
  if (fake->script.absent != 0) {
    fake_close(&fake->base);
    return err_set(err, EXIT_DEVICE, "fake:%s cannot be used: its script says so", script);
  }
  fake->ops = device_cpu_ops;
  fake->ops.slot = fake_slot;
  fake->ops.conditions = fake_conditions;
  fake->ops.energy = fake_energy;
  set_energy(&fake->energy, &fake->script);
  fake->ops.null_shapes = 2;
  fake->ops.null_run = fake_nothing;
  fake->ops.close = fake_close;
  fake->base.ops = &fake->ops;
  fake->base.scripted = true;
  fake->state_key = rng_key((uint64_t)fake->script.seed, 0);
  fake->slow_state = uniform(fake->state_key, &fake->state_drawn) < 0.5;
  *device = &fake->base;
  return 0;
}
