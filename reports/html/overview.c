/* Writes the first screen of the report: the verdict, failures, conditions, how results were verified, the machine and
 * how to repeat the run, devices, benches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "compare/compare.h"
#include "html/page.h"
#include "summary/bench.h"
#include "summary/devices.h"
#include "summary/geomean.h"
#include "summary/marks.h"
#include "summary/sentence.h"

/* ---- The section about several devices: sentences about devices that differ, then a table with their rates ---- */

static void write_device_heads(const struct page *page, const struct device_outliers *outliers) {
  char heads[DEVICE_RATES][64];
  const char *list[2 + DEVICE_RATES] = {"Device"};
  size_t count = 1;
  if (outliers->has_speed) list[count++] = "speed vs median";
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    if (!outliers->known[i]) continue;
    snprintf(heads[i], sizeof heads[i], "%s, %s", device_rate_name(i), device_rate_unit(i));
    list[count++] = heads[i];
  }
  html_table_open(page->out, "matrix",
                  "Speed of all rows beside the devices' median, and what calibrate's kernels reach", list, count);
}

static void write_speed(const struct page *page, const struct device_outliers *outliers,
                        const struct device_outlier *device) {
  if (!outliers->has_speed) return;
  fprintf(page->out, "<td>%s%s</td>", number_significant(device->speed, 3).text, isnan(device->speed) ? "" : "x");
}

static void write_device(const struct page *page, const struct device_outliers *outliers,
                         const struct device_outlier *device) {
  xml_print(page->out, "<tr><th scope=\"row\">%s", device->label);
  if (strcmp(device->label, device->id) != 0) xml_print(page->out, " <span class=\"soft\">%s</span>", device->id);
  fputs("</th>", page->out);
  write_speed(page, outliers, device);
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    char marked[96];
    if (!outliers->known[i]) continue;
    snprintf(marked, sizeof marked, "%s%s", device->outliers[i] ? "\xE2\x9A\xA0 " : "",
             number_significant(device->rates[i], 4).text);
    html_cell(page->out, marked);
  }
  fputs("</tr>\n", page->out);
}

/* Writes an item of the list of conditions. Faults differ from good conditions by a glyph as well as by colour. */
static void html_condition(FILE *out, bool good, const char *text) {
  xml_print(out, "<li class=\"%s\"><span aria-hidden=\"true\">%s</span> %s</li>\n", good ? "good" : "warn",
            good ? "\xE2\x9C\x93" : "\xE2\x9A\xA0", text);
}

void html_devices(const struct page *page) {
  struct device_outliers outliers;
  device_outliers_find(page->data, &outliers);
  if (outliers.count == 0) return;
  fputs("<section aria-labelledby=\"devices\">\n<h2 id=\"devices\">Devices</h2>\n", page->out);
  if (outliers.sentences.count != 0) fputs("<ul class=\"conditions\">\n", page->out);
  for (size_t i = 0; i < outliers.sentences.count; i++)
    html_condition(page->out, outliers.alike, outliers.sentences.items[i]);
  if (outliers.sentences.count != 0) fputs("</ul>\n", page->out);
  write_device_heads(page, &outliers);
  for (size_t i = 0; i < outliers.count; i++)
    write_device(page, &outliers, &outliers.devices[i]);
  html_table_close(page->out);
  fputs("</section>\n", page->out);
  device_outliers_free(&outliers);
}

/* ---- The table of several benches: a row for each, with counts and means over all cases ---- */

bool html_bench_shown(const struct page *page, size_t index) {
  return page->benches[index].bench.case_count != 0 && !page->benches[index].bench.yardstick;
}

/* Returns the variant that is fastest in most cases; SIZE_MAX: none is fastest in any. */
static size_t most_wins(const struct run_bench *bench) {
  size_t best = SIZE_MAX, most = 0;
  for (size_t i = 0; i < bench->variant_count; i++) {
    size_t wins = bench_wins(bench, i);
    if (wins > most) best = i;
    if (wins > most) most = wins;
  }
  return best;
}

static void write_fastest(FILE *out, const struct run_bench *bench, size_t best) {
  const size_t contests = bench_contests(bench);
  char text[TEXT_SIZE];
  const struct verdict_counts counts = verdict_counts(bench);
  verdict_counts_text(&counts, text, sizeof text);
  fputs("<td class=\"t\">", out);
  if (bench->bases == BASES_TWINS && text[0] != '\0')
    /* if two builds are compared, shows the number of each verdict, not which variant is fastest */
    xml_print(out, "%s", text);
  else if (best != SIZE_MAX)
    html_put(out, "<b>", bench->variants[best], "</b>");
  else
    fputs(contests > 0 ? "no clear winner" : "nothing to compare", out);
  if (best != SIZE_MAX && bench->bases != BASES_TWINS && contests > 1)
    fprintf(out, " <span class=\"minor\">in %zu of %zu cases</span>", bench_wins(bench, best), contests);
  fputs("</td>", out);
}

static bool write_mean_ratio(FILE *out, const struct run_bench *bench, struct geomean mean, const char *over) {
  char swayed[KEY_SIZE];
  const struct number ratio = number_ratio(mean.ratio, mean.ratio);
  const struct number interval = number_interval(mean.lo, mean.hi, mean.ratio);
  if (ratio.text[0] == '\0') return false;
  fprintf(out, "%sx", ratio.text);
  html_word(out, mean.word);
  if (interval.text[0] != '\0' || mean.count > 1) /* the interval of a single case is shown in the case's row */
    html_put(out, " <span class=\"minor line\">", interval.text[0] ? interval.text : "no interval", "</span>");
  html_put(out, " <span class=\"minor\">over ", over, "</span>");
  geomean_swayed_text(bench, &mean, swayed, sizeof swayed);
  if (swayed[0] != '\0') html_put(out, "<span class=\"minor\">; ", swayed, "</span>");
  return true;
}

/* Writes the mean over the cases of each baseline, if cases have different baselines. */
static bool write_named_means(FILE *out, const struct run_bench *bench, size_t best) {
  bool any = false;
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct geomean mean = geomean_named(bench, best, bench->variants[i]);
    if (mean.count == 0) continue;
    if (any) fputs("<br>", out);
    any = write_mean_ratio(out, bench, mean, bench->variants[i]) || any;
    fprintf(out, " <span class=\"minor\">in %zu case%s</span>", mean.count, mean.count == 1 ? "" : "s");
  }
  return any;
}

static void write_best_speedup(FILE *out, const struct run_bench *bench, size_t best) {
  const bool several = bench->bases == BASES_SEVERAL;
  struct geomean mean = geomean_base(bench, best);
  const struct record *only = bench->case_count == 1 ? bench->cases[0].rows[best] : NULL;
  fputs("<td class=\"t\">", out);
  /* for a single case, takes the figures of its row, which have an interval; a mean over one case has none */
  if (only != NULL && mean.count != 0)
    mean = (struct geomean){1, 0, only->speedup, only->speedup_lo, only->speedup_hi, row_verdict(only), NULL, 0};
  if (!write_mean_ratio(out, bench, mean, several ? "each case's own baseline" : bench->baseline) &&
      !(several && write_named_means(out, bench, best)) && bench->baseline != NULL)
    fputs("<span class=\"minor\">the baseline</span>", out);
  fputs("</td>", out);
}

static bool write_bench_failures(const struct page *page, const struct run_bench *bench) {
  size_t counts[ROW_STATUS_COUNT] = {0};
  bool any = false;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (summary_failed(page->data, &page->summary, at.row)) counts[row_status_of(at.row)]++;
  for (size_t i = 0; i < ROW_STATUS_COUNT; i++) {
    const enum row_status status = row_statuses[i];
    if (counts[status] == 0) continue;
    fprintf(page->out, "%s%zu ", any ? ", " : "", counts[status]);
    html_status(page->out, status);
    any = true;
  }
  return any;
}

static void write_worst(const struct page *page, const struct run_bench *bench) {
  const struct mark_scope scope = {page->data, bench, NULL, NULL};
  char text[MSG_SIZE];
  unsigned marks = 0;
  fputs("<td class=\"t\">", page->out);
  if (!write_bench_failures(page, bench)) {
    for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
      marks |= marks_of(page->data, at.point, at.row);
    const enum mark worst = marks_worst(marks);
    if (worst != MARK_COUNT) {
      marks_tell(&scope, 1U << worst, text, sizeof text);
      xml_print(page->out, "<span class=\"minor mark\">%s</span> <span class=\"minor\">%zu of %zu rows</span>", text,
                marks_count(&scope, worst), marks_rows(&scope));
    }
  }
  fputs("</td>", page->out);
}

static void write_bench_summary(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->summary.benches[index];
  const size_t best = most_wins(bench);
  char share[80] = "";
  xml_print(page->out, "<tr><th scope=\"row\"><a href=\"#bench-%zu\">%s</a></th>", index,
            html_bench_name(page, index).text);
  write_fastest(page->out, bench, best);
  if (best != SIZE_MAX)
    write_best_speedup(page->out, bench, best);
  else
    fputs("<td></td>", page->out);
  if (best != SIZE_MAX && bench->rate != RATE_NONE) html_share_range(bench, best, share, sizeof share);
  if (share[0] != '\0')
    html_put(page->out, "<td data-label=\"of the ceiling\">", share, "%</td>");
  else
    fputs("<td></td>", page->out);
  write_worst(page, bench);
  fputs("</tr>\n", page->out);
}

void html_benches(const struct page *page) {
  static const char *const heads[] = {"bench", "fastest", "speedup, geometric mean [95%]", "share of the ceiling",
                                      "worst"};
  html_table_open(page->out, "benches", "The benches", heads, sizeof heads / sizeof heads[0]);
  for (size_t i = 0; i < page->summary.bench_count; i++)
    if (html_bench_shown(page, i)) write_bench_summary(page, i);
  html_table_close(page->out);
}

static const struct {
  const char *kind, *glyph, *word;
} badges[] = {
    [RUN_PASSED] = {"good", "\xE2\x9C\x93", "passed"},        [RUN_LEFT_OUT] = {"bad", "\xE2\x80\x93", "incomplete"},
    [RUN_INCOMPLETE] = {"bad", "\xE2\x80\x93", "incomplete"}, [RUN_FAILED] = {"bad", "\xE2\x9C\x97", "failed"},
    [RUN_NOTHING] = {"bad", "\xE2\x80\x93", "nothing ran"},
};

/* Returns true if the badge shows the comparison with the baseline run instead of the outcome of the run itself: if the
 * run passed, but the comparison did not. */
static bool against_counts(const struct page *page, enum run_outcome outcome) {
  return outcome == RUN_PASSED && against_worst(page->data) != AGAINST_CLEAR;
}

void html_title(const struct page *page, const char *name, char *to, size_t size) {
  char sentence[MSG_SIZE * 2];
  const enum run_outcome outcome = summary_sentence(page->data, &page->summary, sentence, sizeof sentence);
  const char *word =
      against_counts(page, outcome) ? against_verdict_name(against_worst(page->data)) : badges[outcome].word;
  snprintf(to, size, "%s - %s: %s", word, name, sentence);
}

void html_verdict(const struct page *page) {
  char sentence[MSG_SIZE * 2];
  enum run_outcome outcome = summary_sentence(page->data, &page->summary, sentence, sizeof sentence);
  fputs("<h1>", page->out);
  if (against_counts(page, outcome))
    html_against_badge(page->out, against_worst(page->data));
  else
    fprintf(page->out, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> %s</span>", badges[outcome].kind,
            badges[outcome].glyph, badges[outcome].word);
  xml_print(page->out, "<span class=\"hidden\">:</span> %s</h1>\n", sentence);
}

static void write_failure_item(const struct page *page, const struct record *record) {
  FILE *out = page->out;
  fputs("<li>", out);
  html_status(out, row_status_of(record));
  if (record_required(page->data, record)) fputs(", but required", out);
  xml_print(out, " <b>%s</b> <code>%s</code>", record->variant, record->case_key);
  if (record->message != NULL) xml_print(out, "<br><span class=\"message\">%s</span>", record->message);
  fputs("</li>\n", out);
}

void html_failures(const struct page *page) {
  enum { SHOWN = 8 };
  size_t count = 0;
  for (size_t i = 0; i < page->data->count; i++)
    count += summary_failed(page->data, &page->summary, &page->data->records[i]);
  if (count == 0) return;
  fputs("<section class=\"failures\" aria-labelledby=\"failures\">\n<h2 id=\"failures\">Failures</h2>\n<ul>\n",
        page->out);
  for (size_t i = 0, shown = 0; i < page->data->count && shown < SHOWN; i++) {
    if (!summary_failed(page->data, &page->summary, &page->data->records[i])) continue;
    write_failure_item(page, &page->data->records[i]);
    shown++;
  }
  fputs("</ul>\n", page->out);
  if (count > SHOWN)
    fprintf(page->out, "<p>%zu more are in <a href=\"#results\">all results</a>.</p>\n", count - SHOWN);
  fputs("</section>\n", page->out);
}

/* Texts that occur in a row's column `conditions` when something was wrong, each with the words for it in the page's
 * list of conditions. */
static const struct {
  const char *in_row, *words;
} faults[] = {
    {"clocks differ", "clocks differ"},
    {"other processes used", "other processes used the CPUs"},
    {"steal ", "steal"},
    {"interrupted ", "interrupted by other tasks"},
    {"quota", "throttled by the CPU quota"},
    {"heat", "CPUs throttled by heat"},
};

enum { FAULT_COUNT = sizeof faults / sizeof faults[0], FAULT_ANY = FAULT_COUNT + 1 };

/* Returns true if the row's conditions have this fault. `fault` is the index of an entry in `faults`; FAULT_COUNT: any
 * fault that is not in that table; FAULT_ANY: any fault. */
static bool has_fault(const struct record *row, size_t fault) {
  const char *text = text_or_empty(row->conditions);
  if (fault == FAULT_ANY) return text[0] != '\0' || row->throttled_share > 0;
  if (fault < FAULT_COUNT) return strstr(text, faults[fault].in_row) != NULL;
  for (size_t i = 0; i < FAULT_COUNT; i++)
    if (strstr(text, faults[i].in_row) != NULL) return false;
  return text[0] != '\0' && !(row->throttled_share > 0);
}

/* Returns the number of timed rows whose conditions have this fault, without yardsticks (rows for comparison only, such
 * as a plain copy). Counts in benches that the user selected or, if `yardsticks`, in benches that were measured only
 * because they show the device's highest rates. */
static size_t faulty_rows(const struct page *page, size_t fault, bool yardsticks) {
  size_t count = 0;
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->summary.benches[i];
    for (struct bench_walk at = {.bench = bench}; bench->yardstick == yardsticks && bench_walk(&at);)
      count += row_contends(at.row) && has_fault(at.row, fault);
  }
  return count;
}

static void write_run_conditions(const struct page *page, const struct pairs *environment, const char *run) {
  char text[MSG_SIZE];
  const char *conditions = pairs_get(environment, "conditions");
  if (conditions == NULL) return;
  static const char ok[] = "ok: ";
  bool good = strncmp(conditions, "ok", 2) == 0;
  /* the "ok" is from the start of the run; if rows had faults later, it is written as "at the start" */
  if (good && faulty_rows(page, FAULT_ANY, false) + faulty_rows(page, FAULT_ANY, true) > 0) {
    conditions += strncmp(conditions, ok, sizeof ok - 1) == 0 ? sizeof ok - 1 : 2;
    xml_print(page->out, "<li>%s%sat the start: %s</li>\n", run, run[0] != '\0' ? ": " : "",
              conditions[0] != '\0' ? conditions : "nothing wrong");
    return;
  }
  snprintf(text, sizeof text, "%s%sconditions%s %s", run, run[0] != '\0' ? ": " : "", good ? "" : ":", conditions);
  html_condition(page->out, good, text);
}

/* Writes the conditions of each of a run's devices, as recorded before the device was measured. */
static void write_device_conditions(const struct page *page) {
  const struct run_info *info = &page->data->runs[0];
  char name[TEXT_SIZE];
  for (size_t i = 0; i < info->device_count; i++) {
    const struct pairs *environment = &info->devices[i].environment;
    text_copy(name, sizeof name, text_or_empty(pairs_get(environment, "device")));
    write_run_conditions(page, environment, name);
  }
}

/* Writes the conditions of the machine: once if all runs have the same, otherwise for each run. */
static void write_conditions(const struct page *page) {
  const struct run_data *data = page->data;
  bool known = run_data_get(data, "conditions") != NULL;
  write_run_conditions(page, &data->environment, "");
  for (size_t run = 0; !known && data->run_count > 1 && run < data->run_count; run++) {
    write_run_conditions(page, &data->runs[run].environment, run_data_run_name(data, run).text);
  }
  if (!known && data->run_count == 1 && data->runs[0].device_count > 0)
    write_device_conditions(page);
  else if (!known && data->run_count < 2 && data->notes.count == 0)
    html_condition(page->out, false, "conditions were not recorded");
}

/* Writes what went wrong during the measurements, such as throttling, and in how many rows. */
static void write_faults(const struct page *page) {
  char text[TEXT_SIZE];
  conditions_throttled(&page->summary, text, sizeof text);
  if (text[0] != '\0') html_condition(page->out, false, text);
  for (size_t i = 0; i <= FAULT_COUNT; i++) {
    const size_t rows = faulty_rows(page, i, false);
    if (rows == 0) continue;
    snprintf(text, sizeof text, "%s in %zu of %zu results", i < FAULT_COUNT ? faults[i].words : "other conditions",
             rows, page->summary.timed);
    html_condition(page->out, false, text);
  }
  const size_t yardsticks = faulty_rows(page, FAULT_ANY, true);
  snprintf(text, sizeof text, "conditions changed while %zu yardstick%s ran", yardsticks, yardsticks == 1 ? "" : "s");
  if (yardsticks > 0) html_condition(page->out, false, text);
}

void html_conditions(const struct page *page) {
  char isolated[2 * TEXT_SIZE];
  fputs("<section aria-label=\"Conditions\">\n<ul class=\"conditions\">\n", page->out);
  write_conditions(page);
  write_faults(page);
  if (conditions_quick(page->data)) html_condition(page->out, false, CONDITIONS_QUICK);
  conditions_isolated(page->data, isolated, sizeof isolated);
  if (isolated[0] != '\0') html_condition(page->out, true, isolated);
  for (size_t i = 0; i < page->data->notes.count; i++)
    html_condition(page->out, false, page->data->notes.items[i]);
  fputs("</ul>\n</section>\n", page->out);
}

static void write_verified(const struct page *page) {
  const struct record *worst = page->summary.worst;
  const size_t right = page->summary.statuses[ROW_OK];
  char when[TEXT_SIZE];
  if (page->summary.checked == 0) return;
  sentence_when(&page->summary, when, sizeof when);
  fprintf(page->out, "; %zu of %zu verified against float64%s%s", page->summary.verified, page->summary.checked,
          when[0] != '\0' ? " " : "", when);
  if (right > page->summary.verified)
    fprintf(page->out, ", %zu by their bench's own check", right - page->summary.verified);
  if (worst == NULL) return;
  const struct number allowed = number_error(worst->verify_tolerance);
  fprintf(page->out, ", worst error %s", number_error(worst->verify_error).text);
  if (allowed.text[0] != '\0') fprintf(page->out, " of %s allowed", allowed.text);
}

static void list_bench_modes(const struct page *page) {
  const char *between = "";
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->summary.benches[i];
    if (bench->yardstick || bench->mode[0] == '\0' || !html_mode_is_new(page, i)) continue;
    xml_print(page->out, "%s%s", between, bench->mode);
    between = " and ";
  }
  if (between[0] == '\0') fputs("timed", page->out);
}

void html_trust(const struct page *page) {
  const struct run_summary *summary = &page->summary;
  char reached[TEXT_SIZE];
  if (summary->timed == 0) return;
  sentence_reached(summary, reached, sizeof reached);
  fputs("<p class=\"trust\"><b>Trust</b> ", page->out);
  list_bench_modes(page);
  const char *launch_overhead_ns = run_data_get(page->data, "launch_overhead_ns");
  double overhead_us = launch_overhead_ns != NULL ? strtod(launch_overhead_ns, NULL) * 1e-3 : 0;
  if (overhead_us > 0 && overhead_us < 1e6) fprintf(page->out, ", launch overhead %.3g us measured", overhead_us);
  if (summary->rounds_max > 0) {
    fputs(", interleaved in ", page->out);
    if (summary->rounds_min != summary->rounds_max) fprintf(page->out, "%lld to ", (long long)summary->rounds_min);
    fprintf(page->out, "%lld random rounds", (long long)summary->rounds_max);
  }
  fprintf(page->out, ", 95%% intervals%s%s", reached[0] != '\0' ? "; " : "", reached);
  write_verified(page);
  char text[TEXT_SIZE];
  sentence_alone(page->data, text, sizeof text);
  if (text[0] != '\0') xml_print(page->out, "; %s", text);
  fputs(". <a href=\"#method\">Method</a></p>\n", page->out);
}

static void write_fact(const struct page *page, const char *name, const char *before, bool *first) {
  const char *value = run_data_get(page->data, name), *device = run_data_get(page->data, "device_name");
  if (value == NULL || value[0] == '\0') return;
  /* the CPU has been named already, as the device */
  if (strcmp(name, "cpu") == 0 && device != NULL && strcmp(device, value) == 0) return;
  xml_print(page->out, "%s%s%s", *first ? "" : ", ", before, value);
  *first = false;
}

static void write_facts(const struct page *page, bool *first) {
  write_fact(page, "driver", "driver ", first);
  write_fact(page, "cuda_runtime", "CUDA ", first);
  write_fact(page, "cpu", "", first);
  write_fact(page, "host", "host ", first);
  write_fact(page, "gpubench_version", "gpubench ", first);
}

/* Writes the devices of a run: "3 devices: Test GPU, cuda:0 GPU-...; ...". */
static void write_devices(const struct page *page, bool *first) {
  const struct run_info *info = &page->data->runs[0];
  const char *merged = pairs_get(&info->environment, "merged");
  if (merged != NULL)
    xml_print(page->out, "%s: ", merged);
  else
    fprintf(page->out, "%zu devices, one after the other: ", info->device_count);
  for (size_t i = 0; i < info->device_count; i++) {
    const struct pairs *e = &info->devices[i].environment;
    const char *spec = text_or_empty(pairs_get(e, "device"));
    bool known = info->devices[i].id[0] != '\0';
    xml_print(page->out, "%s%s", i != 0 ? "; " : "", spec);
    if (known) xml_print(page->out, " (%s", text_or_empty(pairs_get(e, "device_name")));
    if (known && strcmp(info->devices[i].id, spec) != 0) xml_print(page->out, ", %s", info->devices[i].id);
    fputs(known ? ")" : "", page->out);
  }
  *first = false;
}

static void write_machine(const struct page *page) {
  bool first = true;
  if (page->data->run_count == 1 && page->data->runs[0].device_count > 0) {
    write_devices(page, &first);
    write_facts(page, &first);
    return;
  }
  const char *name = run_data_get(page->data, "device_name");
  if (name == NULL && page->data->count != 0 && page->data->records[0].device_name != NULL) {
    xml_print(page->out, "%s", page->data->records[0].device_name);
    first = false;
  }
  write_fact(page, "device_name", "", &first);
  write_fact(page, "device", "", &first);
  write_fact(page, "device_uuid", "", &first);
  write_facts(page, &first);
  if (first) fputs("not recorded", page->out);
}

/* Writes the device and the host of each of several runs. */
static void write_machines(const struct page *page) {
  enum { SHOWN = 8 };
  const struct run_data *data = page->data;
  for (size_t run = 0; run < data->run_count && run < SHOWN; run++) {
    const struct run_info *info = &data->runs[run];
    const char *device = pairs_get(&info->environment, "device_name"), *host = pairs_get(&info->environment, "host");
    if (device == NULL && info->count != 0) device = data->records[info->first].device_name;
    xml_print(page->out, "%s%s on %s%s%s", run != 0 ? "; " : "", run_data_run_name(data, run).text,
              device != NULL ? device : "a device not recorded", host != NULL ? ", host " : "", text_or_empty(host));
  }
  if (data->run_count > SHOWN) fprintf(page->out, "; and %zu more", data->run_count - SHOWN);
}

void html_machine(const struct page *page) {
  fputs("<p class=\"trust\"><b>Machine</b> ", page->out);
  if (page->data->run_count > 1)
    write_machines(page);
  else
    write_machine(page);
  fputs(". <a href=\"#environment\">Environment</a></p>\n<p class=\"trust\"><b>Repeat</b> ", page->out);
  const char *command = run_data_get(page->data, "command");
  if (command != NULL && page->data->run_count == 1) {
    html_command(page->out, command);
    fputs("; the same cases: ", page->out);
  }
  char suite[128];
  html_suite_command(&page->data->environment, suite, sizeof suite);
  if (page->data->dir != NULL) {
    html_command(page->out, suite);
    fputs(" in the run directory. ", page->out);
  } else if (page->data->run_count == 1 && page->data->runs[0].ini != NULL)
    xml_print(page->out, "save the <a href=\"#data\">run.ini</a> below, then <code>%s</code>. ", suite);
  else if (page->data->run_count > 1)
    fputs("each run from its own run.ini, in its directory and below. ", page->out);
  fputs("<a href=\"#results\">All results</a>, <a href=\"#charts\">charts</a>, <a href=\"#data\">data</a></p>\n",
        page->out);
}
