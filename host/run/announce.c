/* Prints the lines that come before the results: device, conditions, ceilings (highest rates of the device), plan. */
#include "run/announce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/grid.h"
#include "base/memory.h"
#include "base/output.h"
#include "budget/reckon.h"
#include "model/build_label.h"

static size_t asked_cases(const struct plan *plan) {
  size_t count = 0;
  for (size_t i = 0; i < plan->count; i++)
    count += !plan->cases[i].yardstick && !plan->cases[i].gone;
  return count;
}

/* Returns true if the plugin, or another build of it, defines the bench of a planned case. */
static bool plugin_is_measured(const struct planning *planning, size_t plugin) {
  const struct catalog_plugin *plugins = planning->catalog.plugins;
  for (const struct plan_case *p = planning->plan.cases; p < planning->plan.cases + planning->plan.count; p++)
    if (!p->yardstick && strcmp(plugins[p->plugin].desc.id, plugins[plugin].desc.id) == 0) return true;
  return false;
}

static void print_against(const struct base_run *base, FILE *out) {
  if (!base->loaded) return;
  struct text run_id = run_data_run_name(&base->data, 0);
  text_sanitize(run_id.text);
  fprintf(out, "against     %s, not interleaved with this run\n", run_id.text);
}

/* Prints "softmax 1.2 (sm_90) on ", then the device or the number of devices. */
static void announce_plugin(const struct catalog_plugin *plugin, const struct run_devices *devices, FILE *out) {
  const struct device_facts *facts = &devices->pool.facts;
  const struct plugin_desc *p = &plugin->desc;
  char shown[2 * ID_SIZE];
  label_show(shown, sizeof shown, p->id, plugin->label);
  fprintf(out, "%s %s%s%s%s on ", shown, p->version, p->build[0] ? " (" : "", p->build, p->build[0] ? ")" : "");
  if (devices->count > 1)
    fprintf(out, "%zu devices, one after the other", devices->count);
  else
    fprintf(out, "%s, %s%s%s%s%s", facts->name, facts->spec, facts->uuid[0] ? " " : "", facts->uuid,
            facts->driver[0] ? ", driver " : "", facts->driver);
  fprintf(out, "; gpubench %s\n", GPUBENCH_VERSION);
}

/* ---- Printing text that is wrapped to the width of the terminal ---- */

static void show_announced(struct memory_text *printing) {
  SCOPED char *text = memory_text_end(printing);
  wrap_print(stdout, text, output_wrap());
}

void announce_header(const struct planning *planning, const struct run_devices *devices) {
  struct memory_text printing;
  FILE *out = memory_text_begin(&printing);
  for (size_t i = 0; i < planning->catalog.count; i++)
    if (plugin_is_measured(planning, i)) announce_plugin(&planning->catalog.plugins[i], devices, out);
  if (devices->count == 1) fprintf(out, "device      %s\n", devices->why);
  show_announced(&printing);
}

void announce_device(const struct run_devices *devices, const struct base_run *against, bool planned, bool color) {
  struct memory_text printing;
  FILE *out = memory_text_begin(&printing);
  const struct device_facts *facts = &devices->pool.facts;
  if (devices->count > 1)
    fprintf(out, "%sdevice      %zu of %zu: %s, %s%s%s%s%s\n", planned ? "\n" : "", devices->present + 1,
            devices->count, facts->name, facts->spec, facts->uuid[0] ? " " : "", facts->uuid,
            facts->driver[0] ? ", driver " : "", facts->driver);
  fprintf(out, "conditions  ");
  bool ok = strncmp(devices->conditions, "ok", 2) == 0;
  grid_styled(out, ok ? GRID_PLAIN : GRID_ORANGE, color, devices->conditions);
  fputc('\n', out);
  if (!planned) print_against(against, out);
  show_announced(&printing);
}

/* Lists the modes of the cases that were asked for: "cold, hot". */
static void list_modes(const struct plan *plan, char *to, size_t size) {
  const char *names[TIMING_COUNT * LOAD_COUNT];
  size_t count = 0;
  for (size_t i = 0; i < plan->count; i++) {
    const char *name = mode_name(plan->cases[i].mode);
    bool known = plan->cases[i].yardstick;
    for (size_t n = 0; n < count; n++)
      known = known || names[n] == name;
    if (!known) names[count++] = name;
  }
  text_join(to, size, names, count);
}

/* Prints the factor by which a busy machine makes the planned times longer, and the cases for which the user's time
 * limit leaves no time. */
static void print_room(const struct time_budget *budget, FILE *out) {
  const struct plan *plan = budget->plan;
  size_t left_out = 0;
  if (reckon_busy(budget) > 1)
    fprintf(out, "busy        a thread gets %.0f%% of a processor, load %.3g: times %.2g in the plan\n",
            100 * budget->share, budget->load, reckon_busy(budget));
  for (size_t i = 0; i < plan->count; i++)
    left_out += plan->cases[i].beyond;
  if (left_out == 0) return;
  fprintf(out,
          "no room     for %zu of the %zu cases, which run only if the others leave time; --max-time %.0fs should do:",
          left_out, asked_cases(plan), time_budget_enough_s(budget));
  for (size_t i = 0; i < plan->count; i++)
    if (plan->cases[i].beyond) fprintf(out, " %s", plan->cases[i].key);
  fputc('\n', out);
}

static void print_plan(const struct planning *planning, const struct time_budget *budget,
                       const struct run_isolation *isolation, FILE *out) {
  const struct options *o = budget->options;
  const struct shard shard = planning->shard;
  if (planning_is_empty(planning)) {
    fprintf(out, "plan        shard %u of %u: none of %zu case%s, nothing to measure\n", shard.number, shard.of,
            planning->whole, planning->whole == 1 ? "" : "s");
    return;
  }
  size_t cases = asked_cases(&planning->plan), most = 0;
  uint32_t restarts = 1;
  for (size_t i = 0; i < planning->plan.count; i++) {
    const struct plan_case *p = &planning->plan.cases[i];
    if (p->variant_count > most && !p->yardstick) most = p->variant_count;
    if (p->restarts > restarts) restarts = p->restarts;
  }
  char modes[TEXT_SIZE], often[32] = "", where[48] = "", longest[48] = "", part[64] = "";
  char until[48] = "for all of --case-time";
  const double precision = time_budget_settings(budget, planning->plan.cases).precision;
  list_modes(&planning->plan, modes, sizeof modes);
  if (precision > 0) snprintf(until, sizeof until, "to %g%% at 95%%", 100 * precision);
  if (restarts > 1) snprintf(often, sizeof often, " in %u processes each", restarts);
  if (budget->devices > 1)
    snprintf(where, sizeof where, " on %zu device%s", budget->usable, budget->usable == 1 ? "" : "s");
  if (isfinite(budget->seconds))
    snprintf(longest, sizeof longest, budget->seconds < 100 ? "; at most %.3g s%s" : "; at most %.0f s%s",
             budget->seconds, budget->by_user ? " (--max-time)" : "");
  if (shard.of > 0) snprintf(part, sizeof part, "shard %u of %u: %zu of ", shard.number, shard.of, cases);
  const size_t all = shard.of > 0 ? planning->whole : cases;
  fprintf(out, "plan        %s%zu case%s, %zu variant%s%s, ", part, all, all == 1 ? "" : "s", most,
          most == 1 ? "" : "s", where);
  if (o->run.profile)
    fprintf(out, "one launch each for a profiler, nothing recorded\n");
  else if (o->run.verify_only)
    fprintf(out, "verified only, nothing timed%s\n\n", longest);
  else
    fprintf(out, "%s%s, %s%s%s\n", modes, often, until, o->run.quick ? " (quick)" : "", longest);
  run_isolate_print(isolation, out);
  if (!o->run.profile && !o->run.verify_only) print_room(budget, out);
}

void announce_plan(const struct planning *planning, const struct time_budget *budget,
                   const struct run_isolation *isolation) {
  struct memory_text printing;
  print_plan(planning, budget, isolation, memory_text_begin(&printing));
  show_announced(&printing);
}

static void print_denominator(const struct plan_case *p, size_t v, FILE *out) {
  const struct denominator *against = &p->variants[v].against;
  if (against->twin != 0 && against->twin != v + 1)
    fprintf(out, " (against %s)", p->variants[against->twin - 1].name);
  else if (against->twin != 0 || against->common == 1)
    fprintf(out, " (baseline)");
  else if (against->common > 1)
    fprintf(out, " (baseline where none before it is right)");
}

void announce_cases(const struct plan *plan, const struct resume *former) {
  struct memory_text printing;
  FILE *out = memory_text_begin(&printing);
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_case *p = &plan->cases[i];
    if (p->yardstick || resume_has_case(former, plan, p)) continue;
    fprintf(out, "%s%s%s\n", p->key, p->point.preset[0] ? "  " : "", p->point.preset);
    for (size_t v = 0; v < p->variant_count; v++) {
      const struct plan_variant *variant = &p->variants[v];
      fprintf(out, "  %s", variant->name);
      print_denominator(p, v, out);
      if (variant->status != ROW_NOT_RUN) fprintf(out, ": %s: %s", row_status_name(variant->status), variant->reason);
      fputc('\n', out);
    }
  }
  show_announced(&printing);
}

static void print_yardsticks(const struct yardsticks *yardsticks, const struct ceilings *c, const char *said,
                             FILE *out) {
  const struct {
    const char *name, *unit;
    double value;
  } figures[] = {{"copy", "GB/s", c->copy_gb_per_s},
                 {"read", "GB/s", c->read_gb_per_s},
                 {"write", "GB/s", c->write_gb_per_s},
                 {"fp32", "TFLOP/s", c->fp32_tflops},
                 {"bf16 tensor", "TFLOP/s", c->bf16_tflops}};
  const struct options *o = yardsticks->options;
  const char *unit = "";
  const bool none = said != NULL && strncmp(said, "none: ", 6) == 0;
  if (none && !o->run.verify_only) fprintf(out, "yardsticks  %s, so rows have no ceil%%\n", said);
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    if (isnan(figures[i].value)) continue;
    fprintf(out, "%s%s %.*g", unit[0] == '\0' ? "yardsticks  " : ", ", figures[i].name, i < CEILING_FP32 ? 4 : 3,
            figures[i].value);
    if (!text_same(unit, figures[i].unit)) fprintf(out, " %s", figures[i].unit);
    unit = figures[i].unit;
  }
  if (unit[0] == '\0') return;
  const char *text = yardsticks->text, *source = o->run.ceilings;
  const bool now = source == NULL || strcmp(source, CEILINGS_MEASURE) == 0;
  fprintf(out, ", %s\n", !now ? source : text[0] != '\0' ? text : "measured now");
}

void announce_yardsticks(const struct yardsticks *yardsticks, const struct ceilings *c, const struct pairs *device) {
  struct memory_text printing;
  FILE *out = memory_text_begin(&printing);
  print_yardsticks(yardsticks, c, pairs_get(device, "yardsticks"), out);
  show_announced(&printing);
}

void announce_pieces(const struct time_budget *b) {
  static const char *const names[RUN_PIECES] = {[PIECE_PLANNING] = "planning",
                                                [PIECE_CEILINGS] = "ceilings",
                                                [PIECE_CASES] = "cases",
                                                [PIECE_RESERVE] = "reserve: added processes",
                                                [PIECE_SLOWER] = "more, if rows are slow",
                                                [PIECE_END] = "end, reports, all between"};
  const double all_s = time_budget_gone_s(b);
  double rest_s = all_s;
  if (b->options->common.quiet || b->options->common.verbosity == 0 || b->by_user || b->options->run.verify_only)
    return;
  if (!isfinite(b->seconds)) return;
  for (size_t i = 0; i < PIECE_END; i++)
    rest_s -= b->taken_s[i];
  fprintf(stderr, "%-26s %9s  %6s\n", "seconds", "announced", "taken");
  for (size_t i = 0; i < RUN_PIECES; i++)
    fprintf(stderr, "%-26s %9.1f  %6.1f\n", names[i], b->announced_s[i], i == PIECE_END ? rest_s : b->taken_s[i]);
  fprintf(stderr, "%-26s %9.1f  %6.1f\n", "all", b->first_s, all_s);
}
