/* Turns the user's selections and the plugins' descriptions into cases. Each case is one bench with certain parameters,
 * which are its key, in one timing mode. */
#include "plan/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "options/device_list.h"
#include "plan/choose_variants.h"
#include "plan/expand.h"
#include "plan/lineup.h"

enum { ROWS_MAX = 1000000 }; /* limit of the number of variants in all cases together */

struct builder {
  const struct catalog *catalog;
  const char *backend;
  struct lineups lineups;
  /* a source (set of filters) for each selection, and one for the command line if it narrows the selections */
  struct source *sources;
  size_t source_count;
  struct plan *plan;
  struct map places; /* indices of the plan's cases, by key and mode */
  size_t row_count;
};

/* The cases of one choice (a bench and its variants) while they are added to the plan. */
struct adding {
  struct builder *builder;
  struct choice choice;
  bool yardstick;
};

/* ---- Adding cases by their keys ---- */

/* Returns the index of the case with this key and mode. If there is none yet, returns `next` and registers it. */
static size_t case_place(struct builder *b, const char *key, struct mode mode, size_t next) {
  const char *parts[] = {key, mode_name(mode)};
  return map_put(&b->places, parts, 2, next);
}

void plan_case_free(struct plan_case *c) {
  for (size_t i = 0; i < c->variant_count; i++)
    free(c->variants[i].reason);
  free(c->variants);
}

static bool has_common(const struct plan_variant *variants, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++)
    any = any || variants[i].against.common;
  return any;
}

/* Returns the stricter of the values `a` and `b` that two selections give for the same case; `of` (fmin or fmax) tells
 * which one is stricter. NaN means "not given" and stands for the default, `usual`. Returns NaN if the result is that
 * default. */
static double stricter(double (*of)(double, double), double a, double b, double usual) {
  const double asked = of(isnan(a) ? usual : a, isnan(b) ? usual : b);
  return asked == usual && (isnan(a) || isnan(b)) ? (double)NAN : asked;
}

/* Adds the variants that another selection has for the same case. The case then has the variants of both selections, in
 * the order of the bench's line-up (list of all its variants). */
static void merge_choice(const struct catalog *catalog, struct plan_case *c, const struct choice *choice) {
  struct plan_variant *all = xcalloc(c->variant_count + choice->count, sizeof *all);
  size_t count = 0;
  /* if a variant of the case is a baseline already, the baselines of the other selection are ignored */
  const bool settled = has_common(c->variants, c->variant_count);
  for (size_t v = 0; v < choice->lineup->variant_count; v++) {
    const struct lineup_variant *at = &choice->lineup->variants[v];
    size_t old = choose_find(c->variants, c->variant_count, at);
    size_t new = choose_find(choice->variants, choice->count, at);
    bool is_old = old != SIZE_MAX, is_new = new != SIZE_MAX;
    if (!is_old && !is_new) continue;
    all[count] = is_old ? c->variants[old] : choice->variants[new];
    all[count].against.common =
        settled ? (is_old ? c->variants[old].against.common : 0) : (is_new ? choice->variants[new].against.common : 0);
    all[count++].required = (is_old && c->variants[old].required) || (is_new && choice->variants[new].required);
  }
  free(c->variants);
  c->variants = all;
  c->variant_count = count;
  c->named = c->named || choice->named;
  choose_twins(catalog, c->variants, c->variant_count, c->named);
  const struct selection *other = choice->selection;
  c->precision = stricter(fmin, c->precision, other->precision, selection_usual_precision(other->quick));
  c->case_time_s = stricter(fmax, c->case_time_s, other->case_time_s, selection_usual_case_time_s(other->quick));
  if (choice->selection->restarts > c->restarts) c->restarts = choice->selection->restarts;
}

static void append_case(struct builder *b, const struct adding *adding, const struct point *point, const char *key,
                        struct mode mode) {
  const struct choice *choice = &adding->choice;
  b->plan->cases = xgrow(b->plan->cases, b->plan->count, sizeof *b->plan->cases);
  struct plan_case *c = &b->plan->cases[b->plan->count++];
  *c = (struct plan_case){
      .number = adding->yardstick ? 0 : b->plan->count,
      .plugin = choice->lineup->plugin,
      .bench = choice->lineup->bench,
      .variants = xcalloc(choice->count, sizeof *c->variants),
      .variant_count = choice->count,
      .named = choice->named,
      .yardstick = adding->yardstick,
      .mode = mode,
      .restarts = choice->selection->restarts,
      .precision = choice->selection->precision,
      .case_time_s = choice->selection->case_time_s,
  };
  memcpy(&c->point, point, sizeof c->point);
  memcpy(c->variants, choice->variants, choice->count * sizeof *c->variants);
  text_copy(c->id, sizeof c->id, choice->lineup->id);
  text_copy(c->key, sizeof c->key, key);
}

static int check_rows(struct builder *b, size_t more, struct err *err) {
  b->row_count += more;
  if (b->row_count <= ROWS_MAX) return 0;
  return err_set(err, EXIT_USAGE, "more than %d results: cases times variants", ROWS_MAX);
}

static int add_mode(const struct adding *adding, const struct point *point, const char *key, struct mode mode,
                    struct err *err) {
  struct builder *b = adding->builder;
  const struct choice *choice = &adding->choice;
  size_t place = case_place(b, key, mode, b->plan->count);
  bool known = place < b->plan->count;
  if (known && adding->yardstick) return 0;
  if (known) {
    struct plan_case *c = &b->plan->cases[place];
    size_t before = c->variant_count;
    merge_choice(b->catalog, c, choice);
    return check_rows(b, c->variant_count - before, err);
  }
  if (b->plan->count >= CASES_MAX) return err_set(err, EXIT_USAGE, "more than %d cases in all", CASES_MAX);
  if (check_rows(b, choice->count, err)) return -1;
  append_case(b, adding, point, key, mode);
  return 0;
}

/* Returns the mode for a case whose selection gives none. If a variant returns only when its work is done, the case is
 * timed by the host's clock. */
static struct mode default_mode(const struct builder *b, const struct choice *choice) {
  bool sync = false;
  for (size_t i = 0; i < choice->count; i++) {
    const struct plan_variant *v = &choice->variants[i];
    sync = sync || (b->catalog->plugins[v->plugin].variants[v->variant].flags & VARIANT_SYNC) != 0;
  }
  return (struct mode){sync && devices_are(b->backend, DEVICE_QUEUES) ? TIMING_WALL : TIMING_COLD, LOAD_PLAIN};
}

/* Adds the cases of one point (a value for each axis of a bench), one for each mode. It is called for each point by the
 * expansion of presets and axes. If the case is to measure a ceiling (`yardstick`), only the first one is added. */
static int add_point(void *user, const struct point *point, struct err *err) {
  struct adding *adding = user;
  struct builder *b = adding->builder;
  const struct choice *choice = &adding->choice;
  const struct strings *modes = &choice->selection->modes;
  char key[KEY_SIZE];
  if (!case_key(choice->lineup->id, point, key, sizeof key))
    return err_set(err, EXIT_USAGE, "%s: a case key needs more than %d bytes", choice->lineup->id, KEY_SIZE - 1);
  if (modes->count == 0 && add_mode(adding, point, key, default_mode(b, choice), err) != 0) return -1;
  for (size_t i = 0; i < modes->count; i++) {
    struct mode mode = {0};
    if (!mode_parse(modes->items[i], &mode)) return err_set(err, EXIT_USAGE, "mode '%.64s'", modes->items[i]);
    if (add_mode(adding, point, key, mode, err) != 0) return -1;
  }
  return adding->yardstick;
}

/* ---- Adding the cases of a selection ---- */

static int plan_lineup(struct builder *b, const struct selection *selection, const struct bench_request *request,
                       struct err *err) {
  struct adding adding = {.builder = b, .choice = {.selection = selection, .lineup = request->lineup}};
  int failed = 0;
  choose_variants(b->catalog, request, &adding.choice);
  if (!choose_waits(b->catalog, request, &adding.choice)) {
    for (size_t s = 0; s < request->source_count; s++)
      request->sources[s]->chosen[request->lineup - b->lineups.items] = true;
    cases_mark(request);
    failed = lineup_check_builds(b->catalog, request->lineup, err);
    if (!failed && adding.choice.count > 0) failed = cases_expand(request, add_point, &adding, err);
  }
  free(adding.choice.variants);
  return failed;
}

static bool bench_passes(const struct bench_request *request) {
  const struct lineup *lineup = request->lineup;
  bool passes = true;
  for (size_t s = 0; s < request->source_count; s++) {
    struct source *source = request->sources[s];
    bool wanted = source_match(source, FILTER_BENCH, lineup->desc->name, lineup->id);
    if (!wanted && source->filters[FILTER_BENCH].list.count > 0) passes = false;
  }
  struct source *keys = case_source(request);
  /* case_is_named() marks the case keys that name the bench as used, because unused keys are reported later. It is
   * called for the keys of a suite even if --case replaces them: they choose no case, but must not be reported. */
  for (size_t s = 0; s < request->source_count; s++)
    if (!case_is_named(request->sources[s], lineup) && request->sources[s] == keys) passes = false;
  return passes;
}

/* Refuses presets and axes that are given together with case keys. A key defines its case completely, so that presets
 * and axes would be ignored. */
static int check_keys(const struct bench_request *request, struct err *err) {
  const struct source *keys = case_source(request);
  for (size_t s = 0; keys != NULL && s < request->source_count; s++) {
    const struct selection *selection = request->sources[s]->selection;
    bool own = request->sources[s] == keys;
    if ((own || s > 0) && selection->axes.count > 0)
      return err_set(err, EXIT_USAGE, "%.300s: axis '%.200s' does not go with case '%.300s': put it into the key",
                     selection->origin, selection->axes.items[0], keys->selection->cases.items[0]);
    if (own && selection->presets.count > 0)
      return err_set(err, EXIT_USAGE,
                     "%.300s: preset '%.200s' does not go with case '%.300s': write BENCH[preset=NAME]",
                     selection->origin, selection->presets.items[0], keys->selection->cases.items[0]);
  }
  return 0;
}

static struct source *find_source(const struct builder *b, const struct selection *selection) {
  for (size_t i = 0; i < b->source_count; i++)
    if (b->sources[i].selection == selection) return &b->sources[i];
  return NULL;
}

static int plan_selection(struct builder *b, const struct selection *selection, struct err *err) {
  struct bench_request request = {.backend = b->backend};
  request.sources[request.source_count++] = find_source(b, selection);
  if (selection->narrow != NULL) request.sources[request.source_count++] = find_source(b, selection->narrow);
  for (size_t s = 0; s < request.source_count; s++)
    if (choose_check_plugins(b->catalog, request.sources[s]->selection, err)) return -1;
  if (check_keys(&request, err)) return -1;
  for (size_t v = 0; v < b->lineups.count; v++) {
    request.lineup = &b->lineups.items[v];
    if (!choose_owns_lineup(b->catalog, selection, request.lineup) || !bench_passes(&request)) continue;
    if (plan_lineup(b, selection, &request, err)) return -1;
  }
  return 0;
}

/* ---- Reporting filters that matched nothing ---- */

static bool chosen_here(const struct builder *b, const struct source *source) {
  for (size_t v = 0; v < b->lineups.count; v++)
    if (source->chosen[v] && b->lineups.items[v].here_count > 0) return true;
  return false;
}

static bool lineup_is_chosen(const struct builder *b, size_t lineup) {
  for (size_t s = 0; s < b->source_count; s++)
    if (b->sources[s].chosen[lineup]) return true;
  return false;
}

static int no_bench(const struct builder *b, struct err *err) {
  const char *names[16];
  size_t count = b->lineups.count < 16 ? b->lineups.count : 16;
  char list[900];
  for (size_t i = 0; i < count; i++)
    names[i] = b->lineups.items[i].id;
  text_join(list, sizeof list, names, count);
  if (count == 0) return err_set(err, EXIT_USAGE, "nothing to run: the plugins offer no bench");
  return err_set(err, EXIT_USAGE, "nothing to run: the filters leave nothing of %s", list);
}

/* Fails with a message that names the backends for which the chosen benches have variants: "attention/forward has
 * variants for cuda; ...". */
static int wrong_backend(const struct builder *b, struct err *err) {
  char list[900] = "";
  for (size_t i = 0; i < b->lineups.count; i++) {
    const struct lineup *lineup = &b->lineups.items[i];
    if (!lineup_is_chosen(b, i)) continue;
    SCOPED_STRINGS struct strings names = {0};
    for (size_t v = 0; v < lineup->variant_count; v++)
      strings_add_once(&names, lineup->variants[v].desc->backend);
    char backends[ID_SIZE * 5]; /* the list is cut if there are more names */
    text_join(backends, sizeof backends, (const char *const *)names.items, names.count);
    phrase_add(list, sizeof list, "; ", "%s has variants for %s", lineup->id,
               names.count > 0 ? backends : "no backend");
  }
  if (list[0] == '\0') return no_bench(b, err);
  err_set(err, EXIT_USAGE, "nothing to run on '%s': %s", b->backend, list);
  return err_about(err, PLAN_OTHER_BACKEND);
}

/* Lists variants of the chosen benches. If `here` is true, these are the variants that run on the plan's backend;
 * otherwise the variants that --variant names and that run only on other backends. */
static size_t list_variants(const struct builder *b, bool here, char *to, size_t size) {
  SCOPED_STRINGS struct strings names = {0};
  for (size_t i = 0; i < b->lineups.count; i++)
    for (size_t v = 0; lineup_is_chosen(b, i) && v < b->lineups.items[i].variant_count; v++) {
      const struct lineup_variant *variant = &b->lineups.items[i].variants[v];
      if (variant->seen && variant->here == here && (here || variant->picked)) strings_add_once(&names, variant->name);
    }
  const size_t count = names.count;
  text_join(to, size, (const char *const *)names.items, count);
  return count;
}

/* Reports that the filters together leave no variant for this backend, although each filter alone matched something. */
static int all_filtered(const struct builder *b, struct err *err) {
  char here[900], elsewhere[400];
  const size_t count = list_variants(b, false, elsewhere, sizeof elsewhere);
  list_variants(b, true, here, sizeof here);
  if (count == 0)
    return err_set(err, EXIT_USAGE, "nothing to run on '%s': the filters leave nothing of %s", b->backend, here);
  err_set(err, EXIT_USAGE, "nothing to run on '%s': %s %s not for it; what is: %s", b->backend, elsewhere,
          count == 1 ? "is" : "are", here);
  return err_about(err, PLAN_OTHER_BACKEND);
}

static int check_matches(const struct builder *b, struct err *err) {
  bool any = false;
  for (size_t s = 0; s < b->source_count; s++) {
    if (source_check_benches(&b->sources[s], &b->lineups, err)) return -1;
    any = any || chosen_here(b, &b->sources[s]);
  }
  if (!any) return wrong_backend(b, err);
  for (size_t s = 0; s < b->source_count; s++)
    if (chosen_here(b, &b->sources[s]) && source_check_rest(&b->sources[s], &b->lineups, err)) return -1;
  return b->plan->count > 0 ? 0 : all_filtered(b, err);
}

/* ---- Building the plan ---- */

static int add_source(struct builder *b, const struct selection *selection, struct err *err) {
  if (find_source(b, selection) != NULL) return 0;
  return source_init(&b->sources[b->source_count++], selection, b->lineups.count, err);
}

static void builder_free(struct builder *b) {
  for (size_t s = 0; s < b->source_count; s++)
    source_free(&b->sources[s]);
  free(b->sources);
  map_free(&b->places);
  lineups_free(&b->lineups);
}

static int build_cases(struct builder *b, const struct selection *selections, size_t count, struct err *err) {
  if (lineups_build(b->catalog, b->backend, &b->lineups, err)) return -1;
  b->sources = xcalloc(2 * count, sizeof *b->sources);
  for (size_t i = 0; i < count; i++)
    if (add_source(b, &selections[i], err) ||
        (selections[i].narrow != NULL && add_source(b, selections[i].narrow, err)))
      return -1;
  for (size_t i = 0; i < count; i++)
    if (plan_selection(b, &selections[i], err)) return -1;
  return check_matches(b, err);
}

int plan_build(const struct catalog *catalog, const struct selection *selections, size_t selection_count,
               const char *backend, struct plan *plan, struct err *err) {
  struct builder b = {.catalog = catalog, .backend = backend, .plan = plan};
  *plan = (struct plan){0};
  int failed = build_cases(&b, selections, selection_count, err);
  builder_free(&b);
  if (failed) plan_free(plan);
  if (failed) text_sanitize(err->text);
  return failed;
}

static int add_yardstick(struct builder *b, const struct selection *all, const struct lineup *lineup, struct err *err) {
  struct lineup own = *lineup; /* a copy without guests (variants from other plugins), because only the bench's own
                                  variants measure a ceiling */
  while (own.variant_count > 0 && own.variants[own.variant_count - 1].desc->bench < 0)
    own.here_count -= own.variants[--own.variant_count].here;
  struct bench_request request = {
      .sources = {&b->sources[0]}, .source_count = 1, .lineup = &own, .backend = b->backend};
  struct adding adding = {.builder = b, .choice = {.selection = all, .lineup = &own}, .yardstick = true};
  choose_variants(b->catalog, &request, &adding.choice);
  int stop = adding.choice.count > 0 ? cases_expand(&request, add_point, &adding, err) : 0;
  free(adding.choice.variants);
  return stop < 0 ? -1 : 0;
}

int plan_add_yardstick(const struct catalog *catalog, const char *contract, const char *backend, struct plan *plan,
                       struct err *err) {
  struct builder b = {.catalog = catalog, .backend = backend, .plan = plan};
  struct selection all;
  for (size_t i = 0; i < plan->count; i++)
    case_place(&b, plan->cases[i].key, plan->cases[i].mode, i);
  selection_init(&all, "yardstick");
  int failed = lineups_build(catalog, backend, &b.lineups, err);
  b.sources = xcalloc(1, sizeof *b.sources);
  if (!failed) failed = add_source(&b, &all, err);
  for (size_t v = 0; !failed && v < b.lineups.count; v++) {
    if (strcmp(b.lineups.items[v].desc->contract, contract) != 0) continue;
    failed = add_yardstick(&b, &all, &b.lineups.items[v], err);
    break;
  }
  builder_free(&b);
  selection_free(&all);
  return failed;
}

bool plan_serves(const struct plan_case *c, size_t i, size_t j) {
  return denominator_serves(&c->variants[i].against, i, &c->variants[j].against);
}

void plan_free(struct plan *plan) {
  for (size_t i = 0; i < plan->count; i++)
    plan_case_free(&plan->cases[i]);
  free(plan->cases);
  *plan = (struct plan){0};
}
