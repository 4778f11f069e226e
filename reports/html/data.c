/* Writes the tables of the runs' environment, and embeds the files of each run (results.csv, run.ini) in the page. */

#include "html/page.h"
#include "record/csv/files.h"
#include "record/embed.h"
#include "record/run_data.h"

enum { EMBEDDED_MAX = 4000 /* limit of the embedded rows, because browsers open larger pages slowly */ };

static void write_pairs_table(FILE *out, const struct pairs *pairs, const char *caption) {
  if (pairs->count == 0) return;
  html_scroll(out, caption);
  fprintf(out, "<table class=\"pairs\">\n<caption>%s</caption>\n<tbody>\n", caption);
  for (size_t i = 0; i < pairs->count; i++) {
    html_row(out, pairs->items[i].name);
    html_cell(out, pairs->items[i].value);
    fputs("</tr>\n", out);
  }
  fputs("</tbody>\n</table>\n</div>\n", out);
}

static const struct pairs *run_pairs(const struct run_data *data, size_t run, bool tags) {
  return tags ? &data->runs[run].tags : &data->runs[run].environment;
}

/* Returns the names of the facts (tags or keys of the environment) that do not have the same value in all runs, in
 * order of appearance. */
static struct strings differing(const struct run_data *data, bool tags) {
  const struct pairs *common = tags ? &data->tags : &data->environment;
  struct strings names = {0};
  struct map seen = {0};
  for (size_t run = 0; run < data->run_count; run++) {
    const struct pairs *pairs = run_pairs(data, run, tags);
    for (size_t i = 0; i < pairs->count; i++) {
      const char *const key[] = {pairs->items[i].name};
      if (pairs_get(common, key[0]) != NULL || map_get(&seen, key, 1) != MAP_NONE) continue;
      map_put(&seen, key, 1, 0);
      strings_add(&names, key[0]);
    }
  }
  map_free(&seen);
  return names;
}

/* Writes a table of the facts (tags or keys of the environment) that differ between runs, with a column for each run.
 */
static void write_differing_pairs(const struct page *page, bool tags, const char *caption) {
  const struct run_data *data = page->data;
  FILE *out = page->out;
  SCOPED_STRINGS struct strings names = differing(data, tags);
  if (names.count == 0) return;
  html_table_begin(out, "pairs", caption, caption);
  html_head(out, "what");
  for (size_t run = 0; run < data->run_count; run++)
    html_head(out, run_data_run_name(data, run).text);
  html_table_rows(out);
  for (size_t i = 0; i < names.count; i++) {
    html_row(out, names.items[i]);
    for (size_t run = 0; run < data->run_count; run++)
      html_cell(out, pairs_get(run_pairs(data, run, tags), names.items[i]));
    fputs("</tr>\n", out);
  }
  html_table_close(out);
}

void html_environment(const struct page *page) {
  const struct run_data *data = page->data;
  bool several = data->run_count > 1;
  html_part_open(page->out, "environment", "Environment");
  if (data->environment.count == 0 && !several) fputs("<p>Not recorded.</p>\n", page->out);
  if (several) write_differing_pairs(page, false, "What differs between the runs");
  write_pairs_table(page->out, &data->environment, several ? "What they have in common" : "What ran where");
  if (several) write_differing_pairs(page, true, "Tags that differ");
  write_pairs_table(page->out, &data->tags, "Tags");
  html_part_close(page->out);
}

/* Opens a folded section that contains the text of a run's file. */
static void open_text(const struct page *page, size_t run, const char *file) {
  char title[TEXT_SIZE + 32];
  const bool several = page->data->run_count > 1;
  snprintf(title, sizeof title, "%s%s%s", file, several ? " of " : "",
           several ? run_data_run_name(page->data, run).text : "");
  html_put(page->out, "<details><summary>", title, " as text</summary>\n");
  html_scroll(page->out, title);
}

static void close_text(FILE *out) {
  fputs("\n</div>\n</details>\n", out);
}

/* Embeds the rows of other programs that belong to cases of this run. */
static int embed_foreign_rows(const struct page *page, size_t run, struct err *err) {
  const struct run_data *data = page->data;
  size_t count = 0;
  const struct foreign_row *rows = data->foreign.items;
  for (size_t i = 0; rows != NULL && i < data->foreign.count && count <= EMBEDDED_MAX; i++)
    count += foreign_match_is_of(data, &rows[i], run);
  if (count == 0) return 0;
  if (count > EMBEDDED_MAX) {
    fputs("<p class=\"fold\">The foreign rows have no room here: they are in foreign.csv alone.</p>\n", page->out);
    return 0;
  }
  open_text(page, run, FOREIGN_FILE);
  int result = embed_foreign(page->out, run, data, err);
  close_text(page->out);
  return result;
}

static int embed_baseline_rows(const struct page *page, size_t run, struct err *err) {
  const struct run_data *data = page->data;
  const struct against *against = data->runs != NULL && run < data->run_count ? data->runs[run].against : NULL;
  if (against == NULL) return 0;
  open_text(page, run, AGAINST_FILE);
  int result = embed_against(page->out, run, against, err);
  close_text(page->out);
  return result;
}

static int write_run(const struct page *page, size_t run, struct err *err) {
  const struct run_data *data = page->data;
  const struct run_info *info = run < data->run_count ? &data->runs[run] : NULL;
  const struct record *first = info != NULL && info->count > 0 ? data->records + info->first : data->records;
  open_text(page, run, "results.csv");
  int result = embed_results(page->out, run, first, info != NULL ? info->count : data->count, err);
  close_text(page->out);
  if (result == 0) result = embed_foreign_rows(page, run, err);
  if (result == 0) result = embed_baseline_rows(page, run, err);
  if (info == NULL || info->ini == NULL) return result;
  open_text(page, run, "run.ini");
  embed_ini(page->out, run, info->ini);
  close_text(page->out);
  return result;
}

int html_data(const struct page *page, struct err *err) {
  const struct run_data *data = page->data;
  int result = 0;
  html_part_open(page->out, "data", "Data");
  if (data->dir != NULL)
    fputs(
        "<p>In the run directory: <a href=\"results.csv\">results.csv</a> and <a href=\"run.ini\">run.ini</a>. They "
        "are also here, so that this page alone can be compared with others: <code>gpubench compare</code> takes "
        "it.</p>\n",
        page->out);
  if (data->count > EMBEDDED_MAX)
    fprintf(page->out, "<p class=\"fold\">The %zu rows have no room here: they are in results.csv alone.</p>\n",
            data->count);
  for (size_t run = 0; result == 0 && data->count <= EMBEDDED_MAX && (run == 0 || run < data->run_count); run++)
    result = write_run(page, run, err);
  html_part_close(page->out);
  return result;
}
