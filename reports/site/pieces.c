/* What pages of the site share. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "html/page.h"
#include "site/site.h"

void site_url(FILE *out, const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
    const bool plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') ||
                       strchr("-_.", *at) != NULL;
    fprintf(out, plain ? "%c" : "%%%02X", *at);
  }
}

void site_verdict(FILE *out, enum trend_verdict verdict) {
  static const char *const glyphs[] = {"&#10003;", "?", "?", "&#9660;", "&#10007;"};
  static const char *const kinds[] = {"good", "slower", "slower", "bad", "bad"};
  fprintf(out, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> %s</span>", kinds[verdict],
          glyphs[verdict], trend_verdict_word(verdict));
}

void site_night(const struct site *site, size_t night, const char *up, FILE *out) {
  const struct history_night *n = &site->trend->data->nights[night];
  if (site->report[night]) {
    fprintf(out, "<a href=\"%snights/", up);
    site_url(out, n->run_id);
    fputs(".html\">", out);
  }
  html_text(out, "%.10s", n->started[0] != '\0' ? n->started : n->run_id);
  if (site->report[night]) fputs("</a>", out);
}

void site_kind(FILE *out, const struct trend_row *row) {
  char grounds[TEXT_SIZE];
  if (trend_has_change(row))
    fprintf(out, "<span class=\"%s line\"><span aria-hidden=\"true\">%s</span> %+.1f%% %s</span>",
            row->change > 0 ? "slower" : "faster", row->change > 0 ? "&#9660;" : "&#9650;", 100 * row->change,
            trend_kind_word(row->kind));
  else
    fprintf(out, "<span class=\"%s\">%s</span>", row->kind == TREND_BROKEN ? "status bad" : "soft",
            trend_kind_word(row->kind));
  trend_grounds(row, grounds, sizeof grounds);
  if (grounds[0] != '\0') fprintf(out, " <span class=\"soft\">%s</span>", grounds);
}

void site_anchor(FILE *out, const struct trend_row *row, const struct trend *trend) {
  fprintf(out, "s%zu", (size_t)(row->series - trend->data->series) + 1);
}

/* ---- Benches ---- */

static void name_file(struct site *site, struct site_bench *bench) {
  char base[ID_SIZE];
  size_t used = 0;
  for (const char *at = bench->name; *at != '\0' && used + 1 < sizeof base; at++) {
    const bool plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
    base[used++] = plain || *at == '_' ? *at : '-';
  }
  base[used] = '\0';
  snprintf(bench->file, sizeof bench->file, "%s.html", base);
  for (size_t i = 0; i < site->bench_count; i++)
    if (&site->benches[i] != bench && strcasecmp(site->benches[i].file, bench->file) == 0)
      snprintf(bench->file, sizeof bench->file, "%s-%zu.html", base, site->bench_count);
}

static struct site_bench *bench_of(struct site *site, const char *name) {
  for (size_t i = 0; i < site->bench_count; i++)
    if (strcmp(site->benches[i].name, name) == 0) return &site->benches[i];
  site->benches = xgrow(site->benches, site->bench_count, sizeof *site->benches);
  struct site_bench *bench = &site->benches[site->bench_count++];
  *bench = (struct site_bench){.name = name};
  name_file(site, bench);
  return bench;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct site_bench *)a)->name, ((const struct site_bench *)b)->name);
}

void site_build(const struct trend *trend, struct site *site) {
  *site = (struct site){.trend = trend};
  site->report = xcalloc(trend->data->night_count + 1, sizeof *site->report);
  for (size_t i = 0; i < trend->count; i++) { /* the largest changes first, on a bench's page too */
    struct site_bench *bench = bench_of(site, trend->rows[i].series->bench);
    bench->rows = xgrow(bench->rows, bench->count, sizeof *bench->rows);
    bench->rows[bench->count++] = i;
  }
  if (site->bench_count > 0) qsort(site->benches, site->bench_count, sizeof *site->benches, by_name);
}

void site_free(struct site *site) {
  for (size_t i = 0; i < site->bench_count; i++)
    free(site->benches[i].rows);
  free(site->benches);
  free(site->report);
  *site = (struct site){0};
}
