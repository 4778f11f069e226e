#include "stats/nights.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/gap.h"
#include "stats/nights_look.h"

enum { LAG = 3, BACK = 10, SUITE_NIGHTS = 10, SUITE_SERIES = 3, ALONE = 4, MACHINE_ASKS = 3, BUSY_ASKS = 3 };

#define LARGE_STEP 0.08
#define LARGE_SIGMAS 5.0

const char *night_state_name(enum night_state state) {
  static const char *const names[] = {"missing",         "first",           "quiet",   "known level", "machine",
                                      "suspect: slower", "suspect: faster", "cleared", "slower",      "faster"};
  return names[state];
}

const char *night_grounds_name(enum night_grounds grounds) {
  static const char *const names[] = {"", "confirmed", "two nights in a row", "large"};
  return names[grounds];
}

struct fold {
  struct nights_track *tracks;
  struct nights_look *looks;
  double *room;
  size_t count;
};

static double suite_sd(const struct fold *fold) {
  size_t found = 0;
  for (size_t i = 0; i < fold->count; i++)
    if (fold->looks[i].baseline >= SUITE_NIGHTS && !isnan(fold->looks[i].spread))
      fold->room[found++] = fold->looks[i].spread;
  return found >= SUITE_SERIES ? fmax(stats_median(fold->room, found), NIGHTS_SD_LEAST) : NAN;
}

/* ---- The machine ---- */

static bool series_counts(const struct fold *fold, size_t i, uint32_t bound, bool yardstick, size_t night) {
  const struct nights_track *track = &fold->tracks[i];
  return track->series->bound == bound && track->series->yardstick == yardstick && fold->looks[i].baseline > 0 &&
         !isnan(track->values[night]);
}

/* Returns the median of tonight's steps (changes of the time) over the series that are limited by the resource `bound`,
 * such as memory. If `yardstick` is set, only series that measure the machine count, such as those of a plain copy;
 * otherwise only the other series do. Sets `*found` to their number and `*sd` to their largest standard deviation. */
static double class_step(const struct fold *fold, uint32_t bound, bool yardstick, size_t night, size_t *found,
                         double *sd) {
  *found = 0;
  *sd = 0;
  for (size_t i = 0; i < fold->count; i++) {
    if (!series_counts(fold, i, bound, yardstick, night)) continue;
    fold->room[(*found)++] = fold->looks[i].step;
    *sd = fmax(*sd, fold->looks[i].sd);
  }
  return stats_median(fold->room, *found);
}

static bool step_agrees(const struct nights_look *look, double factor) {
  return fabs(look->step) > look->threshold && fabs(look->step - factor) <= fmax(look->threshold, fabs(factor) / 2);
}

/* Returns by how much (in ln) a change of the machine changed tonight's times of all series that are limited by the
 * resource `bound`; 0: not at all. Yardsticks (series that measure only the machine) prove such a change. Without them
 * it is presumed if series changed together, and `*presumed` is set; a confirmation that the code is the cause refutes
 * that. */
static double factor_of(const struct fold *fold, uint32_t bound, size_t night, bool *presumed) {
  size_t series, yardsticks, together = 0;
  double sd, yard_sd;
  const double yard = class_step(fold, bound, true, night, &yardsticks, &yard_sd);
  const double step = class_step(fold, bound, false, night, &series, &sd);
  *presumed = yardsticks == 0;
  if (series == 0 || series < (*presumed ? (size_t)ALONE : 1)) return 0;
  if (fabs(step) <= fmax(log1p(NIGHTS_LEAST), *presumed ? 5 * sd / sqrt((double)series) : 0)) return 0;
  if (yardsticks > 0 && (fabs(yard) <= log1p(NIGHTS_LEAST) || fabs(yard - step) > fmax(0.01, fabs(step) / 2))) return 0;
  for (size_t i = 0; i < fold->count; i++) {
    if (!series_counts(fold, i, bound, false, night)) continue;
    const struct night *known = &fold->tracks[i].series->nights[night];
    together += step_agrees(&fold->looks[i], step);
    if (*presumed && (known->confirmed == VERDICT_SLOWER || known->confirmed == VERDICT_FASTER)) return 0;
  }
  return 5 * together >= 3 * series ? step : 0;
}

static void subtract_machine(struct fold *fold, size_t first, size_t night) {
  const uint32_t bound = fold->tracks[first].series->bound;
  bool presumed;
  size_t asked = 0;
  const double factor = factor_of(fold, bound, night, &presumed);
  for (size_t i = first; i < fold->count && factor != 0; i++) {
    struct nights_track *track = &fold->tracks[i];
    if (track->series->bound != bound || !step_agrees(&fold->looks[i], factor)) continue;
    const bool open = track->series->nights[night].confirmed == VERDICT_NONE;
    track->machine += factor;
    track->values[night] -= factor;
    track->judgements[night].state = NIGHT_MACHINE;
    track->judgements[night].asks =
        presumed && factor > 0 && !track->series->yardstick && asked++ < MACHINE_ASKS && open;
    fold->looks[i].step -= factor;
    fold->looks[i].slower = fold->looks[i].faster = false;
  }
}

static void machine(struct fold *fold, size_t night) {
  for (size_t i = 0; i < fold->count; i++) {
    size_t before = 0;
    while (before < i && fold->tracks[before].series->bound != fold->tracks[i].series->bound)
      before++;
    if (before == i) subtract_machine(fold, i, night);
  }
}

/* ---- One series ---- */

/* Returns how much likelier the deviation `residual` is if the time changed by `step` than if it did not: the log of
 * the ratio of the two likelihoods, by Student's t with 5 degrees of freedom. */
static double speaks_for(double residual, double step, double sd) {
  const double with = (residual - step) / sd, without = residual / sd;
  return 3 * (log1p(without * without / 5) - log1p(with * with / 5));
}

/* Returns the night in which tonight's change of the time, `step`, most likely began. */
static size_t find_step_begin(const struct nights_track *track, size_t night, const struct nights_look *look,
                              double step) {
  size_t before[BACK], best = night;
  const size_t count = nights_before(track, night, BACK, before);
  double sum = 0, most = 0;
  for (size_t i = 0; i < count && before[i] > track->begin; i++) {
    if (track->judgements[before[i]].state == NIGHT_CLEARED) break;
    sum += speaks_for(track->values[before[i]] - look->centre, step, look->sd);
    if (sum > most) most = sum, best = before[i];
  }
  return best;
}

static size_t reference_of(const struct nights_track *track, size_t first_bad) {
  size_t before[LAG];
  const size_t count = nights_before(track, first_bad, LAG, before);
  return count > 0 ? before[count - 1] : SIZE_MAX;
}

static bool was_suspect(const struct nights_track *track, size_t night, enum night_state state) {
  size_t last;
  return nights_before(track, night, 1, &last) == 1 && track->judgements[last].state == state &&
         track->series->nights[last].confirmed == VERDICT_NONE;
}

static enum night_grounds grounds_of(const struct nights_track *track, size_t night, const struct nights_look *look) {
  const struct night *known = &track->series->nights[night];
  const double large = fmax(log1p(LARGE_STEP), LARGE_SIGMAS * look->sd);
  if ((known->confirmed == VERDICT_SLOWER && known->confirmed_step >= NIGHTS_LEAST) ||
      (known->confirmed == VERDICT_FASTER && known->confirmed_step <= -NIGHTS_LEAST))
    return NIGHT_GROUNDS_CONFIRMED;
  if (known->confirmed != VERDICT_NONE || look->few || !(look->slower || look->faster)) return NIGHT_GROUNDS_NONE;
  if (was_suspect(track, night, look->slower ? NIGHT_SUSPECT_SLOWER : NIGHT_SUSPECT_FASTER)) return NIGHT_GROUNDS_TWICE;
  return fabs(look->step) >= large && known->again_ns > 0 ? NIGHT_GROUNDS_LARGE : NIGHT_GROUNDS_NONE;
}

static void establish(struct nights_track *track, size_t night, const struct nights_look *look,
                      struct night_judgement *out) {
  const struct night *known = &track->series->nights[night];
  const bool confirmed = out->grounds == NIGHT_GROUNDS_CONFIRMED;
  const double step = confirmed ? log1p(known->confirmed_step) : look->step;
  const bool slower = confirmed ? known->confirmed == VERDICT_SLOWER : look->slower;
  out->state = slower ? NIGHT_SLOWER : NIGHT_FASTER;
  out->alarms = slower && !track->series->yardstick;
  out->asks = false;
  out->step = expm1(step);
  out->first_bad = find_step_begin(track, night, look, step);
  out->reference = reference_of(track, out->first_bad);
  if (slower && isnan(track->fixed)) track->fixed = look->centre, track->since = out->first_bad;
  track->former = confirmed ? NAN : look->centre;
  track->sd = look->sd;
  track->begin = out->first_bad;
  for (size_t t = track->begin; t <= night; t++)
    track->good[t] = !isnan(track->values[t]);
}

static enum night_state state_of(const struct nights_look *look, enum verdict confirmed) {
  const bool cleared = confirmed != VERDICT_NONE && confirmed != VERDICT_UNDECIDED;
  if (look->slower || look->faster)
    return cleared ? NIGHT_CLEARED : look->slower ? NIGHT_SUSPECT_SLOWER : NIGHT_SUSPECT_FASTER;
  return fabs(look->centre - look->levels[0]) > look->threshold ? NIGHT_KNOWN : NIGHT_QUIET;
}

static void fill_judgement(const struct nights_track *track, size_t night, const struct nights_look *look,
                           struct night_judgement *out) {
  out->few = look->few;
  out->baseline = look->baseline;
  out->centre_ns = exp(look->centre + track->machine);
  out->sd = look->sd;
  out->threshold = expm1(look->threshold);
  out->detectable = 6 * look->sd;
  out->machine = expm1(track->machine);
  if (!isnan(track->values[night])) out->step = expm1(look->step);
}

static void decide_track_night(struct nights_track *track, size_t night, struct nights_look *look) {
  const struct night *known = &track->series->nights[night];
  struct night_judgement *out = &track->judgements[night];
  if (look->baseline > 0) fill_judgement(track, night, look, out);
  if (isnan(track->values[night])) return;
  if (look->baseline > 0 && !known->accepted) {
    if (out->state != NIGHT_MACHINE) {
      out->state = state_of(look, known->confirmed);
      out->asks = !track->series->yardstick && known->confirmed == VERDICT_NONE &&
                  (look->slower || (look->elsewhere && look->centre > look->levels[0]));
    }
    out->grounds = grounds_of(track, night, look);
    out->first_bad = look->slower || look->faster ? night : SIZE_MAX;
    if (out->asks) out->reference = reference_of(track, night);
    track->good[night] = out->state != NIGHT_SUSPECT_SLOWER && out->state != NIGHT_SUSPECT_FASTER;
    if (out->grounds != NIGHT_GROUNDS_NONE) establish(track, night, look, out);
    if (look->centre <= track->fixed + look->threshold && out->state == NIGHT_QUIET) track->fixed = NAN;
  } else {
    out->state = look->baseline > 0 ? NIGHT_QUIET : NIGHT_FIRST;
    track->begin = night;
    track->fixed = track->former = NAN;
    track->good[night] = true;
  }
  if (!isnan(track->fixed)) {
    out->since = track->since;
    out->since_step = expm1(track->values[night] - track->fixed);
  }
  track->timed++;
}

static void start_track(struct nights_track *track, const struct nights_series *series, size_t nights,
                        struct night_judgement *judgements) {
  *track = (struct nights_track){.series = series, .judgements = judgements, .former = NAN, .sd = NAN, .fixed = NAN};
  track->values = xcalloc(nights, sizeof *track->values);
  track->good = xcalloc(nights, sizeof *track->good);
  for (size_t t = 0; t < nights; t++)
    judgements[t] = (struct night_judgement){.centre_ns = NAN,
                                             .sd = NAN,
                                             .threshold = NAN,
                                             .step = NAN,
                                             .detectable = NAN,
                                             .first_bad = SIZE_MAX,
                                             .reference = SIZE_MAX,
                                             .since = SIZE_MAX,
                                             .since_step = NAN};
}

/* Returns ln of the night's time without the change that the machine caused; NaN if the night has no time that can be
 * used. A time from a busy machine cannot be used. But if a confirmation was made that night, its result is used: old
 * and new binaries took turns in it, so the load slowed both of them. */
static double track_value(const struct nights_track *track, size_t night, const struct nights_look *look) {
  const struct night *known = &track->series->nights[night];
  const bool said = known->confirmed == VERDICT_SLOWER || known->confirmed == VERDICT_FASTER;
  if (known->busy_ns > 0 && said && look->baseline > 0) return look->levels[0] + log1p(known->confirmed_step);
  return known->ns > 0 ? log(known->ns) - track->machine : NAN;
}

/* Returns by how much a time from a busy machine is longer than contention can explain, in ln; NaN: not known. */
static double beyond_contention(const struct nights_track *track, size_t night, const struct nights_look *look) {
  const double ns = track->series->nights[night].busy_ns;
  if (!(ns > 0) || look->baseline == 0 || track->series->yardstick) return NAN;
  return log(ns) - track->machine - look->centre - look->threshold - log(GAP_CONTENTION);
}

/* Asks for a confirmation of the first BUSY_ASKS series whose times, from a busy machine, are longer than contention
 * can explain. If a confirmation of one of these series was already made and remained undecided, asks for none, because
 * the load of the machine may explain all of these times. */
static void ask_of_busy(struct fold *fold, size_t night) {
  size_t asked = 0;
  bool open = false;
  for (size_t i = 0; i < fold->count; i++)
    open = open || (beyond_contention(&fold->tracks[i], night, &fold->looks[i]) > 0 &&
                    fold->tracks[i].series->nights[night].confirmed == VERDICT_UNDECIDED);
  for (size_t i = 0; i < fold->count && !open && asked < BUSY_ASKS; i++) {
    const struct nights_track *track = &fold->tracks[i];
    const double beyond = beyond_contention(track, night, &fold->looks[i]);
    if (!(beyond > 0) || track->series->nights[night].confirmed != VERDICT_NONE) continue;
    struct night_judgement *out = &track->judgements[night];
    out->asks = true;
    out->state = NIGHT_SUSPECT_SLOWER;
    out->first_bad = night;
    out->step = expm1(beyond + fold->looks[i].threshold + log(GAP_CONTENTION));
    out->reference = reference_of(track, night);
    asked++;
  }
}

static void one_night(struct fold *fold, size_t night) {
  for (size_t i = 0; i < fold->count; i++) {
    struct nights_track *track = &fold->tracks[i];
    nights_look_back(track, night, &fold->looks[i]);
    track->values[night] = track_value(track, night, &fold->looks[i]);
  }
  const double prior = suite_sd(fold);
  for (size_t i = 0; i < fold->count; i++)
    nights_look_at(&fold->tracks[i], night, prior, &fold->looks[i]);
  machine(fold, night);
  for (size_t i = 0; i < fold->count; i++)
    decide_track_night(&fold->tracks[i], night, &fold->looks[i]);
  ask_of_busy(fold, night);
}

void nights_judge(const struct nights_series *series, size_t count, size_t nights, struct night_judgement *judgements) {
  if (count == 0 || nights == 0) return;
  struct fold fold = {.tracks = xcalloc(count, sizeof *fold.tracks),
                      .looks = xcalloc(count, sizeof *fold.looks),
                      .room = xcalloc(count, sizeof *fold.room),
                      .count = count};
  for (size_t i = 0; i < count; i++)
    start_track(&fold.tracks[i], &series[i], nights, judgements + i * nights);
  for (size_t t = 0; t < nights; t++)
    one_night(&fold, t);
  for (size_t i = 0; i < count; i++) {
    free(fold.tracks[i].values);
    free(fold.tracks[i].good);
  }
  free(fold.room);
  free(fold.looks);
  free(fold.tracks);
}
