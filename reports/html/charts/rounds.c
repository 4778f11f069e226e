/* Draws how the times of a case developed over its rounds: the median of each slot, the clock, and the rounds with
 * throttling. In a round, each variant has one slot, which is a series of samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "html/charts/samples.h"
#include "model/conditions.h"
#include "stats/math.h"
#include "svg/draw.h"

/* The largest numbers of groups of rounds: in the chart, and in the table of its figures. */
enum { DRAWN_MAX = 240, LISTED_MAX = 60 };

struct round_key {
  uint32_t epoch, round;
};

/* The medians of the slots (a slot is one variant's samples in one round), combined over groups of rounds. */
struct groups {
  const struct sampled_case *sampled;
  struct round_key *keys; /* the rounds of all variants, ascending */
  size_t key_count;
  size_t step, count; /* step: number of rounds in a group; count: number of groups */
  double **percent;   /* by variant and group: the median over the slots in the group; NaN: no slot */
  double *clock;      /* by group: the clock in MHz; NaN: not known */
  uint32_t *throttle;
};

static int by_key(const void *a, const void *b) {
  const struct round_key *x = a, *y = b;
  if (x->epoch != y->epoch) return x->epoch < y->epoch ? -1 : 1;
  return (x->round > y->round) - (x->round < y->round);
}

static void find_keys(struct groups *groups) {
  size_t count = 0, unique = 0;
  for (size_t i = 0; i < groups->sampled->count; i++)
    count += groups->sampled->items[i].samples->count;
  groups->keys = xcalloc(count, sizeof *groups->keys);
  count = 0;
  for (size_t i = 0; i < groups->sampled->count; i++) {
    const struct run_samples *samples = groups->sampled->items[i].samples;
    for (size_t j = 0; j < samples->count; j++)
      groups->keys[count++] = (struct round_key){samples->slots[j].epoch, samples->slots[j].round};
  }
  qsort(groups->keys, count, sizeof *groups->keys, by_key);
  for (size_t i = 0; i < count; i++)
    if (unique == 0 || by_key(&groups->keys[unique - 1], &groups->keys[i]) != 0)
      groups->keys[unique++] = groups->keys[i];
  groups->key_count = unique;
}

static size_t group_of(const struct groups *groups, const struct slot *slot) {
  const struct round_key key = {slot->epoch, slot->round};
  const struct round_key *found = bsearch(&key, groups->keys, groups->key_count, sizeof key, by_key);
  return found != NULL ? (size_t)(found - groups->keys) / groups->step : 0;
}

struct grouped {
  size_t group;
  double value;
};

static int by_group(const void *a, const void *b) {
  const struct grouped *x = a, *y = b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

/* Returns the median of each group's values; NaN for groups without values. Sorts `values`. The caller frees the
 * result. */
static double *medians_of(struct grouped *values, size_t count, size_t groups) {
  double *medians = xcalloc(groups, sizeof *medians);
  for (size_t i = 0; i < groups; i++)
    medians[i] = (double)NAN;
  qsort(values, count, sizeof *values, by_group);
  for (size_t from = 0, to = 0; from < count; from = to) {
    while (to < count && values[to].group == values[from].group)
      to++;
    medians[values[from].group] = (values[from + (to - from) / 2].value + values[from + (to - from - 1) / 2].value) / 2;
  }
  return medians;
}

static double slot_median(const struct slot *slot) {
  SCOPED double *sorted = xcalloc(slot->count, sizeof *sorted);
  memcpy(sorted, slot->ns, slot->count * sizeof *sorted);
  return stats_median(sorted, slot->count);
}

static double *round_percents(const struct groups *groups, const struct sampled *item) {
  SCOPED struct grouped *values = xcalloc(item->samples->count, sizeof *values);
  size_t count = 0;
  for (size_t i = 0; i < item->samples->count; i++) {
    double median = slot_median(&item->samples->slots[i]);
    if (!isfinite(median)) continue;
    values[count++] =
        (struct grouped){group_of(groups, &item->samples->slots[i]), 100 * (median / item->row->median_raw_ns - 1)};
  }
  return medians_of(values, count, groups->count);
}

static void add_states(struct groups *groups) {
  struct grouped *values = NULL;
  size_t count = 0, most = 0;
  for (size_t i = 0; i < groups->sampled->count; i++)
    most += groups->sampled->items[i].samples->count;
  values = xcalloc(most, sizeof *values);
  for (size_t i = 0; i < groups->sampled->count; i++) {
    const struct run_samples *samples = groups->sampled->items[i].samples;
    for (size_t j = 0; j < samples->count; j++) {
      const struct slot_state *state = &samples->slots[j].state;
      size_t group = group_of(groups, &samples->slots[j]);
      groups->throttle[group] |= state->throttle;
      if (state->sm_clock_mhz > 0) values[count++] = (struct grouped){group, state->sm_clock_mhz};
    }
  }
  groups->clock = medians_of(values, count, groups->count);
  free(values);
}

static void groups_build(struct groups *groups, const struct sampled_case *sampled, size_t most) {
  *groups = (struct groups){.sampled = sampled};
  find_keys(groups);
  groups->step = (groups->key_count + most - 1) / most;
  if (groups->step == 0) groups->step = 1;
  groups->count = (groups->key_count + groups->step - 1) / groups->step;
  groups->percent = xcalloc(sampled->count, sizeof *groups->percent);
  for (size_t i = 0; i < sampled->count; i++)
    groups->percent[i] = round_percents(groups, &sampled->items[i]);
  groups->throttle = xcalloc(groups->count, sizeof *groups->throttle);
  add_states(groups);
}

static void groups_free(struct groups *groups) {
  for (size_t i = 0; i < groups->sampled->count; i++)
    free(groups->percent[i]);
  free(groups->percent);
  free(groups->clock);
  free(groups->throttle);
  free(groups->keys);
}

/* Returns where the middle of a group is on the x axis. */
static double x_of(const struct groups *groups, size_t group) {
  double from = (double)(group * groups->step),
         to = fmin((double)((group + 1) * groups->step), (double)groups->key_count);
  return (from + to) / 2;
}

static void fill_track(const struct groups *groups, const double *values, struct svg_track *track) {
  track->x = xcalloc(groups->count, sizeof *track->x);
  track->y = xcalloc(groups->count, sizeof *track->y);
  for (size_t i = 0; i < groups->count; i++) {
    if (!isfinite(values[i])) continue;
    track->x[track->count] = x_of(groups, i);
    track->y[track->count++] = values[i];
  }
}

static void free_track(struct svg_track *track) {
  free(track->x);
  free(track->y);
}

static void track_note(const struct sampled *item, char *to, size_t size) {
  char drift[64] = "", percent[32];
  svg_percent(percent, sizeof percent, 100 * item->row->drift);
  if (isfinite(item->row->drift)) snprintf(drift, sizeof drift, ", drift %s", percent);
  snprintf(to, size, "0 is the median, %s%s", number_time(item->row->median_raw_ns).text, drift);
}

static size_t find_breaks(const struct groups *groups, double *breaks) {
  size_t count = 0;
  for (size_t i = 1; i < groups->key_count; i++)
    if (groups->keys[i].epoch != groups->keys[i - 1].epoch) breaks[count++] = (double)i;
  return count;
}

static size_t find_throttled(const struct groups *groups, double *at, char *note, size_t size) {
  uint32_t bits = 0;
  size_t count = 0;
  for (size_t i = 0; i < groups->count; i++) {
    if (!throttle_slowed(groups->throttle[i])) continue;
    bits |= groups->throttle[i];
    at[count++] = x_of(groups, i);
  }
  snprintf(note, size, "\xE2\x96\xB4 throttled in %zu of %zu %s: %s", count, groups->count,
           groups->step > 1 ? "groups of rounds" : "rounds", throttle_text(bits).text);
  return count;
}

static void list_round_medians(const struct sampled_case *sampled, const char *title) {
  FILE *out = sampled->page->out;
  struct groups groups;
  groups_build(&groups, sampled, LISTED_MAX);
  SCOPED const char **heads = xcalloc(sampled->count + 3, sizeof *heads);
  heads[0] = "round";
  for (size_t i = 0; i < sampled->count; i++)
    heads[i + 1] = text_or_empty(sampled->items[i].row->variant);
  heads[sampled->count + 1] = "clock, MHz";
  heads[sampled->count + 2] = "throttled by";
  html_figures_open(out, title, heads, sampled->count + 3);
  for (size_t i = 0; i < groups.count; i++) {
    size_t last = (i + 1) * groups.step < groups.key_count ? (i + 1) * groups.step : groups.key_count;
    fprintf(out, "<tr><th scope=\"row\">%zu", i * groups.step + 1);
    fprintf(out, last > i * groups.step + 1 ? " to %zu</th>" : "</th>", last);
    for (size_t j = 0; j < sampled->count; j++)
      fprintf(out, isfinite(groups.percent[j][i]) ? "<td>%+.3g%%</td>" : "<td></td>", groups.percent[j][i]);
    fprintf(out, groups.clock[i] > 0 ? "<td>%.0f</td>" : "<td></td>", groups.clock[i]);
    html_words(out, throttle_text(groups.throttle[i]).text);
    fputs("</tr>\n", out);
  }
  html_figures_close(out);
  groups_free(&groups);
}

static void describe_rounds(const struct groups *groups, char *to, size_t size) {
  char thinned[96] = "";
  if (groups->step > 1)
    snprintf(thinned, sizeof thinned, " Each point is the median of %zu consecutive rounds.", groups->step);
  snprintf(to, size,
           "A strip for each variant: the median of its slot in each round, in percent from its median of all; no line "
           "crosses "
           "rounds that it had no turn in.%s Dotted uprights stand where another process began. Below: the clock, and "
           "triangles where the device was slowed "
           "down.",
           thinned);
}

static void draw_rounds(const struct groups *groups, const struct svg_head *head) {
  struct svg_rounds chart = {.head = *head};
  SCOPED struct svg_track *tracks = xcalloc(groups->sampled->count, sizeof *tracks);
  SCOPED char(*notes)[160] = xcalloc(groups->sampled->count, sizeof *notes);
  char note[TEXT_SIZE * 2];
  SCOPED double *breaks = xcalloc(groups->key_count, sizeof *breaks),
                *throttled = xcalloc(groups->count, sizeof *throttled);
  for (size_t i = 0; i < groups->sampled->count; i++) {
    const struct sampled *item = &groups->sampled->items[i];
    track_note(item, notes[i], sizeof notes[i]);
    tracks[i] = (struct svg_track){.name = text_or_empty(item->row->variant), .note = notes[i], .place = item->place};
    fill_track(groups, groups->percent[i], &tracks[i]);
  }
  fill_track(groups, groups->clock, &chart.clock);
  chart.clock.note = chart.clock.count != 0 ? "clock, MHz" : "The clock was not recorded.";
  chart.tracks = tracks;
  chart.track_count = groups->sampled->count;
  chart.throttled = throttled;
  chart.throttled_count = find_throttled(groups, throttled, note, sizeof note);
  chart.throttled_note = note;
  chart.breaks = breaks;
  chart.break_count = find_breaks(groups, breaks);
  chart.rounds = (double)groups->key_count;
  chart.step = (double)groups->step;
  svg_rounds(groups->sampled->page->out, &chart);
  for (size_t i = 0; i < groups->sampled->count; i++)
    free_track(&tracks[i]);
  free_track(&chart.clock);
}

void html_rounds(const struct sampled_case *sampled) {
  struct groups groups;
  char id[32], title[KEY_SIZE * 2 + 32], description[MSG_SIZE];
  groups_build(&groups, sampled, DRAWN_MAX);
  snprintf(id, sizeof id, "rounds-%zu", sampled->number);
  snprintf(title, sizeof title, "%s: medians by round", sampled->name);
  describe_rounds(&groups, description, sizeof description);
  fputs("<figure>\n<figcaption>Medians by round</figcaption>\n", sampled->page->out);
  draw_rounds(&groups, &(struct svg_head){id, title, description});
  if (groups.step > 1)
    fprintf(sampled->page->out, "<p class=\"minor\">Each point is the median of %zu rounds.</p>\n", groups.step);
  list_round_medians(sampled, title);
  fputs("</figure>\n", sampled->page->out);
  groups_free(&groups);
}
