/* A case over its rounds: medians of the slots, the clock, and when the device was slowed down. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "html/samples.h"
#include "model/conditions.h"
#include "stats/math.h"

enum { DRAWN_MAX = 240, LISTED_MAX = 60 /* groups of rounds, in the chart and in its table */ };

struct round_key {
  uint32_t epoch, round;
};

/* All variants' slots in groups of consecutive rounds. */
struct grid {
  const struct sampled_case *sampled;
  struct round_key *keys; /* of all rounds, ascending */
  size_t key_count;
  size_t step, count; /* rounds in a group; groups */
  double **percent;   /* per variant and group; NaN: none */
  double *clock;      /* per group; NaN: not known */
  uint32_t *throttle;
};

static int by_key(const void *a, const void *b) {
  const struct round_key *x = a, *y = b;
  if (x->epoch != y->epoch) return x->epoch < y->epoch ? -1 : 1;
  return (x->round > y->round) - (x->round < y->round);
}

static void find_keys(struct grid *grid) {
  size_t count = 0, unique = 0;
  for (size_t i = 0; i < grid->sampled->count; i++)
    count += grid->sampled->items[i].samples->count;
  grid->keys = xcalloc(count, sizeof *grid->keys);
  count = 0;
  for (size_t i = 0; i < grid->sampled->count; i++) {
    const struct run_samples *samples = grid->sampled->items[i].samples;
    for (size_t j = 0; j < samples->count; j++)
      grid->keys[count++] = (struct round_key){samples->slots[j].epoch, samples->slots[j].round};
  }
  qsort(grid->keys, count, sizeof *grid->keys, by_key);
  for (size_t i = 0; i < count; i++)
    if (unique == 0 || by_key(&grid->keys[unique - 1], &grid->keys[i]) != 0) grid->keys[unique++] = grid->keys[i];
  grid->key_count = unique;
}

static size_t group_of(const struct grid *grid, const struct slot *slot) {
  const struct round_key key = {slot->epoch, slot->round};
  const struct round_key *found = bsearch(&key, grid->keys, grid->key_count, sizeof key, by_key);
  return found != NULL ? (size_t)(found - grid->keys) / grid->step : 0;
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

/* The median of each group's values; NaN where there are none. */
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
  double *sorted = xcalloc(slot->count, sizeof *sorted);
  memcpy(sorted, slot->ns, slot->count * sizeof *sorted);
  stats_sort(sorted, slot->count);
  double median = slot->count != 0 ? stats_quantile(sorted, slot->count, 0.5) : (double)NAN;
  free(sorted);
  return median;
}

static double *percent_of(const struct grid *grid, const struct sampled *item) {
  struct grouped *values = xcalloc(item->samples->count, sizeof *values);
  size_t count = 0;
  for (size_t i = 0; i < item->samples->count; i++) {
    double median = slot_median(&item->samples->slots[i]);
    if (!isfinite(median)) continue;
    values[count++] =
        (struct grouped){group_of(grid, &item->samples->slots[i]), 100 * (median / item->row->median_raw_ns - 1)};
  }
  double *medians = medians_of(values, count, grid->count);
  free(values);
  return medians;
}

static void add_states(struct grid *grid) {
  struct grouped *values = NULL;
  size_t count = 0, most = 0;
  for (size_t i = 0; i < grid->sampled->count; i++)
    most += grid->sampled->items[i].samples->count;
  values = xcalloc(most, sizeof *values);
  for (size_t i = 0; i < grid->sampled->count; i++) {
    const struct run_samples *samples = grid->sampled->items[i].samples;
    for (size_t j = 0; j < samples->count; j++) {
      const struct slot_state *state = &samples->slots[j].state;
      size_t group = group_of(grid, &samples->slots[j]);
      grid->throttle[group] |= state->throttle;
      if (state->sm_clock_mhz > 0) values[count++] = (struct grouped){group, state->sm_clock_mhz};
    }
  }
  grid->clock = medians_of(values, count, grid->count);
  free(values);
}

static void grid_build(struct grid *grid, const struct sampled_case *sampled, size_t most) {
  *grid = (struct grid){.sampled = sampled};
  find_keys(grid);
  grid->step = (grid->key_count + most - 1) / most;
  if (grid->step == 0) grid->step = 1;
  grid->count = (grid->key_count + grid->step - 1) / grid->step;
  grid->percent = xcalloc(sampled->count, sizeof *grid->percent);
  for (size_t i = 0; i < sampled->count; i++)
    grid->percent[i] = percent_of(grid, &sampled->items[i]);
  grid->throttle = xcalloc(grid->count, sizeof *grid->throttle);
  add_states(grid);
}

static void grid_free(struct grid *grid) {
  for (size_t i = 0; i < grid->sampled->count; i++)
    free(grid->percent[i]);
  free(grid->percent);
  free(grid->clock);
  free(grid->throttle);
  free(grid->keys);
}

/* The middle of a group on the chart's x. */
static double x_of(const struct grid *grid, size_t group) {
  double from = (double)(group * grid->step), to = fmin((double)((group + 1) * grid->step), (double)grid->key_count);
  return (from + to) / 2;
}

static void fill_track(const struct grid *grid, const double *values, struct svg_track *track) {
  track->x = xcalloc(grid->count, sizeof *track->x);
  track->y = xcalloc(grid->count, sizeof *track->y);
  for (size_t i = 0; i < grid->count; i++) {
    if (!isfinite(values[i])) continue;
    track->x[track->count] = x_of(grid, i);
    track->y[track->count++] = values[i];
  }
}

static void free_track(struct svg_track *track) {
  free(track->x);
  free(track->y);
}

static void track_note(const struct sampled *item, char *to, size_t size) {
  char median[64], drift[64] = "";
  number_time(median, sizeof median, item->row->median_raw_ns);
  if (isfinite(item->row->drift)) snprintf(drift, sizeof drift, ", drift %+.2g%%", 100 * item->row->drift);
  snprintf(to, size, "0 is the median, %s%s", median, drift);
}

static size_t find_breaks(const struct grid *grid, double *breaks) {
  size_t count = 0;
  for (size_t i = 1; i < grid->key_count; i++)
    if (grid->keys[i].epoch != grid->keys[i - 1].epoch) breaks[count++] = (double)i;
  return count;
}

static size_t find_throttled(const struct grid *grid, double *at, char *note, size_t size) {
  char why[TEXT_SIZE];
  uint32_t bits = 0;
  size_t count = 0;
  for (size_t i = 0; i < grid->count; i++) {
    if (grid->throttle[i] == 0) continue;
    bits |= grid->throttle[i];
    at[count++] = x_of(grid, i);
  }
  throttle_text(bits, why, sizeof why);
  snprintf(note, size, "\xE2\x96\xB4 slowed down in %zu of %zu %s: %s", count, grid->count,
           grid->step > 1 ? "groups of rounds" : "rounds", why);
  return count;
}

static void write_list(const struct sampled_case *sampled, const char *title) {
  FILE *out = sampled->page->out;
  struct grid grid;
  char text[TEXT_SIZE];
  grid_build(&grid, sampled, LISTED_MAX);
  const char **heads = xcalloc(sampled->count + 3, sizeof *heads);
  heads[0] = "round";
  for (size_t i = 0; i < sampled->count; i++)
    heads[i + 1] = text_or_empty(sampled->items[i].row->variant);
  heads[sampled->count + 1] = "clock, MHz";
  heads[sampled->count + 2] = "slowed down by";
  html_figures_open(out, title, heads, sampled->count + 3);
  for (size_t i = 0; i < grid.count; i++) {
    size_t last = (i + 1) * grid.step < grid.key_count ? (i + 1) * grid.step : grid.key_count;
    fprintf(out, "<tr><th scope=\"row\">%zu", i * grid.step + 1);
    fprintf(out, last > i * grid.step + 1 ? " to %zu</th>" : "</th>", last);
    for (size_t j = 0; j < sampled->count; j++)
      fprintf(out, isfinite(grid.percent[j][i]) ? "<td>%+.3g%%</td>" : "<td></td>", grid.percent[j][i]);
    fprintf(out, grid.clock[i] > 0 ? "<td>%.0f</td>" : "<td></td>", grid.clock[i]);
    throttle_text(grid.throttle[i], text, sizeof text);
    html_words(out, text);
    fputs("</tr>\n", out);
  }
  html_figures_close(out);
  free(heads);
  grid_free(&grid);
}

static void describe(const struct grid *grid, char *to, size_t size) {
  char thinned[96] = "";
  if (grid->step > 1)
    snprintf(thinned, sizeof thinned, " Each point is the median of %zu consecutive rounds.", grid->step);
  snprintf(
      to, size,
      "A strip for each variant: the median of its slot in each round, in percent from its median of all.%s Dotted "
      "uprights stand where another process began. Below: the clock, and triangles where the device was slowed "
      "down.",
      thinned);
}

static void draw(const struct grid *grid, struct svg_rounds *chart) {
  struct svg_track *tracks = xcalloc(grid->sampled->count, sizeof *tracks);
  char(*notes)[160] = xcalloc(grid->sampled->count, sizeof *notes);
  char note[TEXT_SIZE * 2];
  double *breaks = xcalloc(grid->key_count, sizeof *breaks), *throttled = xcalloc(grid->count, sizeof *throttled);
  for (size_t i = 0; i < grid->sampled->count; i++) {
    const struct sampled *item = &grid->sampled->items[i];
    track_note(item, notes[i], sizeof notes[i]);
    tracks[i] = (struct svg_track){.name = text_or_empty(item->row->variant), .note = notes[i], .place = item->place};
    fill_track(grid, grid->percent[i], &tracks[i]);
  }
  fill_track(grid, grid->clock, &chart->clock);
  chart->clock.note = chart->clock.count != 0 ? "clock, MHz" : "The clock was not recorded.";
  chart->tracks = tracks;
  chart->track_count = grid->sampled->count;
  chart->throttled = throttled;
  chart->throttled_count = find_throttled(grid, throttled, note, sizeof note);
  chart->throttled_note = note;
  chart->breaks = breaks;
  chart->break_count = find_breaks(grid, breaks);
  chart->rounds = (double)grid->key_count;
  svg_rounds(grid->sampled->page->out, chart);
  chart->tracks = NULL; /* what it points to ends here */
  chart->throttled = chart->breaks = NULL;
  chart->throttled_note = NULL;
  for (size_t i = 0; i < grid->sampled->count; i++)
    free_track(&tracks[i]);
  free_track(&chart->clock);
  free(tracks);
  free(notes);
  free(breaks);
  free(throttled);
}

void html_rounds(const struct sampled_case *sampled) {
  struct grid grid;
  char id[32], title[KEY_SIZE * 2 + 32], description[MSG_SIZE];
  grid_build(&grid, sampled, DRAWN_MAX);
  snprintf(id, sizeof id, "rounds-%zu", sampled->number);
  snprintf(title, sizeof title, "%s: medians by round", sampled->name);
  describe(&grid, description, sizeof description);
  struct svg_rounds chart = {.head = {id, title, description}};
  fputs("<figure>\n<figcaption>Medians by round</figcaption>\n", sampled->page->out);
  draw(&grid, &chart);
  if (grid.step > 1)
    fprintf(sampled->page->out, "<p class=\"minor\">Each point is the median of %zu rounds.</p>\n", grid.step);
  write_list(sampled, title);
  fputs("</figure>\n", sampled->page->out);
  grid_free(&grid);
}
