#include "run/durations.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "run/remembered.h"

static const double most_s = 1e5; /* what no run waits for */

uint64_t duration_of(const struct plan_case *p, const struct run_case_settings *s) {
  char text[KEY_SIZE + TEXT_SIZE];
  snprintf(text, sizeof text, "%s %s %d %d %.9g %.9g %.9g %u %u %d%d%d", p->key, mode_name(p->mode), p->yardstick,
           p->restarts_fixed, s->precision, s->case_time_s, s->energy_s, s->restarts, s->trajectory, s->quick,
           s->verify_only, s->profile);
  uint64_t of = rng_text(text);
  if (s->isolated) of = rng_key(of, rng_text("isolated"));
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].fate == ROW_NOT_RUN) of = rng_key(of, rng_text(p->variants[i].name));
  return of;
}

static size_t find(const struct durations *d, uint64_t of) {
  size_t at = 0;
  while (at < d->count && d->items[at].of != of)
    at++;
  return at;
}

double durations_get(const struct durations *d, uint64_t of) {
  const size_t at = find(d, of);
  return at < d->count ? d->items[at].seconds : 0;
}

void durations_put(struct durations *d, uint64_t of, double seconds) {
  size_t at = find(d, of);
  if (at == d->count && d->count == DURATIONS_MOST) at = 0;
  if (at < d->count) {
    memmove(&d->items[at], &d->items[at + 1], (d->count - at - 1) * sizeof *d->items);
    d->count--;
  }
  d->items[d->count++] = (struct duration){of, seconds};
}

/* "case.0123456789abcdef" */
static void take(const struct pair *pair, struct durations *d) {
  char *of_end, *seconds_end;
  if (strncmp(pair->name, "case.", 5) != 0) return;
  errno = 0;
  const uint64_t of = strtoull(pair->name + 5, &of_end, 16);
  const double seconds = strtod(pair->value, &seconds_end);
  const bool whole =
      of_end == pair->name + 5 + 16 && *of_end == '\0' && seconds_end != pair->value && *seconds_end == '\0';
  if (whole && errno == 0 && seconds > 0 && seconds <= most_s) durations_put(d, of, seconds);
}

void durations_read(const char *path, struct durations *d) {
  struct run_data data;
  d->count = 0;
  if (remembered_load(path, &data))
    for (size_t i = 0; i < data.runs[0].tags.count; i++)
      take(&data.runs[0].tags.items[i], d);
  run_data_free(&data);
}

int durations_write(const char *path, const struct durations *d, struct err *err) {
  struct pairs none = {0}, tags = {0};
  for (size_t i = 0; i < d->count; i++) {
    char name[32];
    snprintf(name, sizeof name, "case.%016" PRIx64, d->items[i].of);
    pairs_add(&tags, name, "%.3f", d->items[i].seconds);
  }
  const int rc = remembered_store(
      path, "Seconds that cases have taken, by which gpubench announces how long a run takes", &none, &tags, err);
  pairs_free(&tags);
  return rc;
}
