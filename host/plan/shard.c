/* Divides plans into shards, that is parts which are measured independently. Computes a number by which a plan is
 * recognised. */
#include "plan/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "model/axis.h"
#include "plan/build.h"

/* ---- Dividing cases among shards ---- */

struct piece {
  uint64_t milliseconds;
  size_t place;
};

static int longest_first(const void *a, const void *b) {
  const struct piece *one = a, *other = b;
  if (one->milliseconds != other->milliseconds) return one->milliseconds > other->milliseconds ? -1 : 1;
  return one->place < other->place ? -1 : one->place > other->place;
}

static uint32_t least_loaded(const uint64_t *loads, uint32_t count) {
  uint32_t found = 0;
  for (uint32_t i = 1; i < count; i++)
    if (loads[i] < loads[found]) found = i;
  return found;
}

void shard_divide(const uint64_t *milliseconds, size_t count, uint32_t of, uint32_t *shard) {
  SCOPED struct piece *pieces = xcalloc(count, sizeof *pieces);
  SCOPED uint64_t *loads = xcalloc(of, sizeof *loads);
  for (size_t i = 0; i < count; i++)
    pieces[i] = (struct piece){milliseconds[i] > 0 ? milliseconds[i] : 1, i};
  qsort(pieces, count, sizeof *pieces, longest_first);
  for (size_t i = 0; i < count; i++) {
    const uint32_t whose = least_loaded(loads, of);
    loads[whose] += pieces[i].milliseconds;
    shard[pieces[i].place] = whose + 1;
  }
}

/* ---- Cutting a plan ---- */

/* Removes from the plan the cases whose `stays` is false. Moves those of them that belong to a shard before `last` to
 * `others` (may be NULL), except cases that measure ceilings (yardsticks), and frees the rest. */
static void keep_cases(struct plan *plan, const bool *stays, uint32_t last, struct plan *others) {
  size_t kept = 0;
  for (size_t i = 0; i < plan->count; i++) {
    struct plan_case *p = &plan->cases[i];
    if (stays[i]) {
      plan->cases[kept++] = *p;
    } else if (others != NULL && !p->yardstick && p->shard < last) {
      others->cases = xgrow(others->cases, others->count, sizeof *others->cases);
      others->cases[others->count++] = *p;
    } else {
      plan_case_free(p);
    }
  }
  plan->count = kept;
}

bool plan_is_alone(const struct plan_case *p, const struct catalog *catalog) {
  const struct bench_desc *bench = &catalog->plugins[p->plugin].benches[p->bench];
  bool alone = (bench->flags & BENCH_NO_ROOF) != 0 || mode_is_by_host(p->mode) || axis_devices(bench, &p->point) > 1;
  for (size_t i = 0; i < p->variant_count; i++) {
    const struct plan_variant *v = &p->variants[i];
    alone = alone || (catalog->plugins[v->plugin].variants[v->variant].flags & VARIANT_PROCESSES) != 0;
  }
  return alone;
}

void plan_cut(struct plan *plan, const uint64_t *milliseconds, const bool *alone, struct shard shard,
              struct plan *others) {
  SCOPED uint64_t *shared = xcalloc(plan->count, sizeof *shared);
  SCOPED uint32_t *whose = xcalloc(plan->count, sizeof *whose);
  SCOPED bool *stays = xcalloc(plan->count, sizeof *stays);
  bool any = false;
  size_t count = 0;
  for (size_t i = 0; i < plan->count; i++)
    if (!plan->cases[i].yardstick && (alone == NULL || !alone[i])) shared[count++] = milliseconds[i];
  shard_divide(shared, count, alone == NULL ? shard.of : shard.of - 1, whose);
  for (size_t i = 0, next = 0; i < plan->count; i++) {
    if (plan->cases[i].yardstick) continue;
    plan->cases[i].shard = alone != NULL && alone[i] ? shard.of : whose[next++];
    stays[i] = plan->cases[i].shard == shard.number;
    any = any || stays[i];
  }
  for (size_t i = 0; i < plan->count; i++)
    stays[i] = stays[i] || (any && plan->cases[i].yardstick);
  keep_cases(plan, stays, shard.of, others);
}

/* ---- Computing the identity of a plan ---- */

static uint64_t variant_identity(const struct plan_variant *v, const struct catalog *catalog) {
  const struct catalog_plugin *plugin = &catalog->plugins[v->plugin];
  char text[4 * TEXT_SIZE];
  snprintf(text, sizeof text, "%s %s %s %s %d %zu %zu", v->name, plugin->desc.id, plugin->label,
           plugin->variants[v->variant].backend, v->required, (size_t)v->against.twin, (size_t)v->against.common);
  return rng_text(text);
}

uint64_t plan_identity(const struct plan *plan, const struct catalog *catalog) {
  char text[KEY_SIZE + TEXT_SIZE];
  uint64_t identity = plan->count;
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_case *p = &plan->cases[i];
    snprintf(text, sizeof text, "%s %s %d %.9g %.9g %u %d", p->key, mode_name(p->mode), p->yardstick, p->precision,
             p->case_time_s, p->restarts, p->restarts_fixed);
    identity = rng_key(identity, rng_text(text));
    for (size_t v = 0; v < p->variant_count; v++)
      identity = rng_key(identity, variant_identity(&p->variants[v], catalog));
  }
  return identity;
}

bool plan_holds_for(const char *pair) {
  static const char *const begin[] = {"plugin.", "setting.", "gpubench_"};
  for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++)
    if (strncmp(pair, begin[i], strlen(begin[i])) == 0) return true;
  if (strncmp(pair, "option.", 7) != 0) return false;
  for (size_t i = 0; options_name(i) != NULL; i++)
    if (options_is_noted(i) && strcmp(options_name(i), pair + 7) == 0) return !options_is_beside_resume(i);
  return false;
}
