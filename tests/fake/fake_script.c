#include "fake_script.h"

#include <ini.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A key that a section of the script may have. `offset`: the struct member that receives the value; `least`, `most`:
 * limits of a number. For a text, `most` is the member's size. */
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
    WORD(fake_script, name, TEXT_SIZE),
    WORD(fake_script, uuid, ID_SIZE),
    WORD(fake_script, driver, ID_SIZE),
    WORD(fake_script, bus, TEXT_SIZE),
    NUMBER(fake_script, bus_factor, 1, 100),
    NUMBER(fake_script, threads, 1, 4096),
    NUMBER(fake_script, tick_ns, 0, 1e9),
    NUMBER(fake_script, serial, 0, 1),
    NUMBER(fake_script, absent, 0, 1),
    NUMBER(fake_script, open_s, 0, 60),
    NUMBER(fake_script, others, 0, 63),
    NUMBER(fake_script, ceilings, 0, 1),
    NUMBER(fake_script, launch_overhead_ns, 0, 1e9),
    NUMBER(fake_script, launch_overhead_unc_ns, 0, 1e9),
    NUMBER(fake_script, sm_clock_mhz, 0, 1e5),
    NUMBER(fake_script, temperature_c, -100, 200),
    NUMBER(fake_script, power_w, 0, 1e5),
    NUMBER(fake_script, power_limit_w, 0, 1e5),
    NUMBER(fake_script, seed, 0, 9007199254740992.0),
    NUMBER(fake_script, energy_step_ms, 0, 1e6),
    NUMBER(fake_script, energy_lag_ms, 0, 1e6),
    NUMBER(fake_script, energy_seen, 0.01, 1),
    NUMBER(fake_script, energy_range_j, 0, 1e12),
    NUMBER(fake_script, idle_w, 0, 1e5),
};

static const struct script_key noise_keys[] = {
    NUMBER(fake_noise, ns, 1e-3, 1e15),        NUMBER(fake_noise, sample_sd, 0, 1),
    NUMBER(fake_noise, slot_sd, 0, 1),         NUMBER(fake_noise, tail_p, 0, 1),
    NUMBER(fake_noise, tail_scale, 0, 1000),   NUMBER(fake_noise, ar1_rho, 0, 0.999),
    NUMBER(fake_noise, ar1_sd, 0, 1),          NUMBER(fake_noise, state_gap, 0, 10),
    NUMBER(fake_noise, state_switch, 0, 1),    NUMBER(fake_noise, mode_gap, 0, 10),
    NUMBER(fake_noise, mode_p, 0, 1),          NUMBER(fake_noise, drift, -0.1, 0.1),
    NUMBER(fake_noise, throttle_from, 0, 1e9), NUMBER(fake_noise, throttle_factor, 0.01, 100),
    NUMBER(fake_noise, untimed_ns, 0, 1e15),   NUMBER(fake_noise, busy_w, 0, 1e5),
    NUMBER(fake_noise, pulse_ms, 0, 1e6),      NUMBER(fake_noise, pulse_duty, 0, 1),
    NUMBER(fake_noise, pulse_phase, 0, 1),     NUMBER(fake_noise, endless, 0, 1),
    WORD(fake_noise, beside, ID_SIZE),         NUMBER(fake_noise, beside_factor, 0.01, 100),
    WORD(fake_noise, until, TEXT_SIZE),
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct reader {
  const char *path;
  FILE *file;
  unsigned line;
  struct fake_script *script;
  struct err *err;
};

static int script_error(struct reader *reader, const char *what, const char *name) {
  return err_set(reader->err, EXIT_USAGE, "%s:%u: %s '%s'", reader->path, reader->line, what, name);
}

/* Reads a line for inih and removes its indentation, because inih takes an indented line for a continuation of the last
 * value. Rejects what inih would truncate silently: long lines and section names of more than 49 characters. */
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

/* Returns the section with this name, which is the last one or a new one. Fails and returns NULL if the script has an
 * earlier section of the same name: only one of the two would have an effect. */
static struct fake_noise *noise_section(struct reader *reader, const char *section) {
  struct fake_script *script = reader->script;
  for (size_t i = 0; i < script->noise_count; i++)
    if (strcmp(script->noises[i].glob, section) == 0) {
      if (i + 1 == script->noise_count) return &script->noises[i];
      script_error(reader, "repeated section", section);
      return NULL;
    }
  script->noises = (struct fake_noise *)xrealloc(script->noises, script->noise_count + 1, sizeof *script->noises);
  struct fake_noise *noise = &script->noises[script->noise_count++];
  *noise = (struct fake_noise){.throttle_from = INFINITY, .throttle_factor = 1, .busy_w = NAN, .beside_factor = 1};
  text_copy(noise->glob, sizeof noise->glob, section);
  return noise;
}

/* Takes one value; called by inih, for which non-zero is success. inih continues after an error; the first message is
 * kept. */
static int take_script_value(void *user, const char *section, const char *name, const char *value) {
  struct reader *reader = (struct reader *)user;
  struct fake_script *script = reader->script;
  if (section[0] == '\0') return script_error(reader, "key outside a section:", name) == 0;
  if (strcmp(section, "device") == 0)
    return set_key(reader, device_keys, COUNT(device_keys), script, &script->seen, name, value) == 0;
  struct fake_noise *noise = noise_section(reader, section);
  return noise != NULL && set_key(reader, noise_keys, COUNT(noise_keys), noise, &noise->seen, name, value) == 0;
}

static int check_noises(const struct fake_script *script, const char *path, struct err *err) {
  for (size_t i = 0; i < script->noise_count; i++)
    if (!(script->noises[i].ns > 0))
      return err_set(err, EXIT_USAGE, "%s: section [%s] lacks ns", path, script->noises[i].glob);
  return 0;
}

/* Sets all members to their defaults, and then those that the script names. Reports the first error, because inih
 * continues after a line that it does not understand, and that line may cause later errors. */
int fake_script_read(struct fake_script *script, const char *path, struct err *err) {
  *script = (struct fake_script){.name = "fake device",
                                 .tick_ns = 1,
                                 .seed = 1,
                                 .sm_clock_mhz = NAN,
                                 .temperature_c = NAN,
                                 .bus_factor = 1,
                                 .power_w = NAN,
                                 .power_limit_w = NAN,
                                 .energy_seen = 1};
  struct reader reader = {path, fopen(path, "re"), 0, script, err};
  if (reader.file == NULL) return err_set(err, EXIT_DEVICE, "fake device: cannot open '%s'", path);
  int bad_line = ini_parse_stream(next_line, &reader, take_script_value, &reader);
  if (bad_line > 0 && (unsigned)bad_line < reader.line) *err = (struct err){0};
  if (ferror(reader.file)) err_set(err, EXIT_DEVICE, "fake device: cannot read '%s'", path);
  if (bad_line > 0) err_set(err, EXIT_USAGE, "%s:%d: neither [section] nor key = value", path, bad_line);
  if (bad_line < 0) err_set(err, EXIT_DEVICE, "fake device: no memory to read '%s'", path);
  fclose(reader.file);
  if (err->exit_code == 0) check_noises(script, path, err);
  text_sanitize(err->text);
  return err->exit_code == 0 ? 0 : -1;
}

void fake_script_free(struct fake_script *script) {
  free(script->noises);
  script->noises = NULL;
}
