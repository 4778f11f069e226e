/* Publishes the site about nightly runs: writes a new folder next to the old one, then exchanges them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/gz.h"
#include "base/memory.h"
#include "base/tree.h"
#include "export/export.h"
#include "history/index.h"
#include "html/report.h"
#include "site/site.h"

/* ---- feed.xml, an Atom feed of nights, and badge.svg ---- */

enum { FEED_ENTRIES = 30 };

/* Writes a night's time in Atom's format; 1970-01-01 if the night has none. */
static void write_atom_time(FILE *out, const char *started) {
  int year, month, day, hour, minute, second, read = 0;
  const bool whole =
      sscanf(started, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &read) == 6 &&
      read == 20 && started[20] == '\0';
  escape_xml(out, whole ? started : "1970-01-01T00:00:00Z");
}

static void write_feed_entry(const struct site *site, size_t index, FILE *out) {
  const struct trend *trend = site->trend;
  const struct history_night *night = &trend->data->nights[index];
  char sentence[2 * MSG_SIZE];
  snprintf(sentence, sizeof sentence, "%.1000s", night->sentence[0] ? night->sentence : night->fault);
  if (index + 1 == trend->data->night_count) trend_sentence(trend, sentence, sizeof sentence);
  fputs("<entry><id>urn:gpubench:night:", out);
  site_url(out, night->run_id);
  xml_print(out, "</id><title>%.10s: %s</title><updated>", night->started,
            trend_verdict_word(trend_verdict(trend, index)));
  write_atom_time(out, night->started);
  fputs("</updated><link href=\"", out);
  fputs(site->report[index] ? "nights/" : "index.html", out);
  if (site->report[index]) site_url(out, night->run_id);
  fputs(site->report[index] ? ".html\"/><summary>" : "\"/><summary>", out);
  xml_print(out, "%s</summary></entry>\n", sentence);
}

static void site_feed(const struct site *site, FILE *out) {
  const size_t nights = site->trend->data->night_count;
  fputs(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
      "<id>urn:gpubench:nights</id><title>gpubench nights</title><author><name>gpubench</name></author>"
      "<link rel=\"self\" href=\"feed.xml\"/><link href=\"index.html\"/><updated>",
      out);
  write_atom_time(out, nights > 0 ? site->trend->data->nights[nights - 1].started : "");
  fputs("</updated>\n", out);
  for (size_t i = nights; i-- > 0 && i + FEED_ENTRIES >= nights;)
    write_feed_entry(site, i, out);
  fputs("</feed>\n", out);
}

static void site_badge(const struct site *site, FILE *out) {
  static const char *const colors[] = {"#07599b", "#9c4200", "#9c4200", "#a3260f", "#a3260f"};
  const size_t nights = site->trend->data->night_count;
  const enum trend_verdict verdict = nights > 0 ? trend_verdict(site->trend, nights - 1) : TREND_UNJUDGED;
  const char *word = nights > 0 ? trend_verdict_word(verdict) : "no nights";
  const int left = 62, right = 14 + 7 * (int)strlen(word);
  fprintf(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"20\" role=\"img\" aria-label=\"gpubench: %s\">"
      "<title>gpubench: %s</title><rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"%s\"/>"
      "<rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"#333\"/>"
      "<g fill=\"#fff\" font-family=\"DejaVu Sans,Verdana,sans-serif\" font-size=\"11\" text-anchor=\"middle\">"
      "<text x=\"%d\" y=\"14\">gpubench</text><text x=\"%d\" y=\"14\">%s</text></g></svg>\n",
      left + right, word, word, left + right, colors[verdict], left, left / 2, left + right / 2, word);
}

#define MARK ".gpubench-site" /* only a folder with this file, or an empty one, is replaced */

struct publishing {
  const struct history *history;
  struct site site;
  const char *made; /* the folder that the site is written to */
};

static int put_site_file(const struct publishing *p, const char *folder, const char *file, const void *bytes,
                         size_t size, struct err *err) {
  SCOPED char *path = memory_print("%s/%s%s", p->made, folder, file);
  return tree_write(path, bytes, size, err);
}

/* ---- Writing pages ---- */

static int put_page(const struct publishing *p, const char *file, void (*write)(const struct site *, FILE *),
                    struct err *err) {
  struct memory_text memory;
  write(&p->site, memory_text_begin(&memory));
  SCOPED char *text = memory_text_end(&memory);
  return put_site_file(p, "", file, text, memory.size, err);
}

static int put_bench(const struct publishing *p, const struct site_bench *bench, struct err *err) {
  struct memory_text memory;
  site_bench(&p->site, bench, memory_text_begin(&memory));
  SCOPED char *text = memory_text_end(&memory);
  return put_site_file(p, "bench/", bench->file, text, memory.size, err);
}

static int put_data(const struct publishing *p, const char *file,
                    int (*write)(const struct trend *, FILE *, struct err *), struct err *err) {
  struct memory_text memory;
  int rc = write(p->site.trend, memory_text_begin(&memory), err);
  SCOPED char *text = memory_text_end(&memory);
  if (rc == 0) rc = put_site_file(p, "", file, text, memory.size, err);
  return rc;
}

static int put_database(const struct publishing *p, struct err *err) {
  SCOPED_STRINGS struct strings damaged = {0};
  size_t size = 0, packed_size = 0;
  SCOPED char *path = memory_print("%s/" HISTORY_INDEX_FILE, p->made);
  int rc = index_copy(p->history, path, &damaged, err);
  SCOPED void *image = rc == 0 ? gz_read(path, &size) : NULL;
  SCOPED void *packed = image != NULL ? gz_pack(image, size, &packed_size) : NULL;
  if (rc == 0)
    rc = packed != NULL ? put_site_file(p, "", HISTORY_INDEX_FILE ".gz", packed, packed_size, err)
                        : err_set(err, EXIT_FAILED, "cannot compress %s", path);
  if (tree_remove(path, err) != 0) rc = -1;
  return rc;
}

/* ---- Writing reports of nights ---- */

/* Returns the report of a night; NULL if its run cannot be read. The site is then published without that report. */
static char *report_of(const struct publishing *p, const char *run_id, size_t *size) {
  struct err ignored = {0};
  struct run_data data;
  struct memory_text memory;
  if (history_load(p->history, run_id, &data, &ignored) != 0) return NULL;
  const int rc = html_write(&data, memory_text_begin(&memory), &ignored);
  char *text = memory_text_end(&memory);
  *size = memory.size;
  run_data_free(&data);
  if (rc == 0) return text;
  free(text);
  return NULL;
}

static int put_reports(struct publishing *p, struct err *err) {
  const struct history_data *data = p->site.trend->data;
  size_t bytes = 0, made = 0;
  int rc = 0;
  for (size_t i = data->night_count; i-- > 0 && made < SITE_REPORTS && bytes < SITE_REPORT_BYTES && rc == 0;) {
    size_t size = 0;
    SCOPED char *text = report_of(p, data->nights[i].run_id, &size);
    if (text == NULL) continue;
    bytes += size;
    if (made++ == 0 || bytes <= SITE_REPORT_BYTES) {
      SCOPED char *file = memory_print("%s.html", data->nights[i].run_id);
      rc = put_site_file(p, "nights/", file, text, size, err);
      p->site.report[i] = rc == 0;
    }
  }
  return rc;
}

static int make_folder(const struct publishing *p, const char *folder, struct err *err) {
  SCOPED char *path = memory_print("%s%s", p->made, folder);
  return tree_make(path, err);
}

static void settle_folder(const struct publishing *p, const char *folder) {
  SCOPED char *path = memory_print("%s%s", p->made, folder);
  tree_settle(path);
}

static int write_site_tree(struct publishing *p, struct err *err) {
  int rc = make_folder(p, "/nights", err);
  if (rc == 0) rc = make_folder(p, "/bench", err);
  if (rc == 0) rc = put_reports(p, err); /* written first, because pages link to the reports that exist */
  if (rc == 0) rc = put_page(p, "index.html", site_index, err);
  for (size_t i = 0; i < p->site.bench_count && rc == 0; i++)
    rc = put_bench(p, &p->site.benches[i], err);
  if (rc == 0) rc = put_page(p, "feed.xml", site_feed, err);
  if (rc == 0) rc = put_page(p, "badge.svg", site_badge, err);
  if (rc == 0) rc = put_data(p, "trend.csv", trend_csv_write, err);
  if (rc == 0) rc = put_data(p, "trend.json", trend_json_write, err);
  if (rc == 0) rc = put_database(p, err);
  if (rc == 0) rc = put_site_file(p, "", MARK, "", 0, err);
  settle_folder(p, "/nights");
  settle_folder(p, "/bench");
  settle_folder(p, "");
  return rc;
}

/* ---- Replacing the old site ---- */

/* Returns the path without trailing slashes and with links resolved, because publishing exchanges the folder itself and
 * not a link to it. */
static char *resolve_site_folder(const char *path) {
  char *real = realpath(path, NULL);
  if (real != NULL) return real;
  char *plain = xstrdup(path);
  for (size_t length = strlen(plain); length > 1 && plain[length - 1] == '/'; length--)
    plain[length - 1] = '\0';
  return plain;
}

static int check_place(const char *place, struct err *err) {
  struct stat info;
  SCOPED char *mark = memory_print("%s/%s", place, MARK);
  int rc = 0;
  if (lstat(place, &info) == 0 && lstat(mark, &info) != 0 && rmdir(place) != 0)
    rc = err_set(err, EXIT_USAGE, "--site %s is there and no site of gpubench, so it is left alone", place);
  return rc;
}

/* Locks the folder that contains the site, so that only one process publishes there. Continues without a lock if the
 * file system has none. */
static int take_lock(const char *place, int *lock, struct err *err) {
  char *parent = xstrdup(place), *slash = strrchr(parent, '/');
  if (slash != NULL) slash[slash == parent] = '\0';
  const char *folder = slash != NULL ? parent : ".";
  int rc = tree_make(folder, err);
  *lock = rc == 0 ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    rc = err_set(err, EXIT_FAILED, "another process publishes in %s", folder);
  free(parent);
  return rc;
}

int site_publish(const struct history *history, const struct trend *trend, const char *path, bool *in_steps,
                 struct err *err) {
  int lock = -1;
  SCOPED char *place = resolve_site_folder(path), *made = memory_print("%s.new", place);
  struct publishing p = {.history = history, .made = made};
  site_build(trend, &p.site);
  int rc = take_lock(place, &lock, err);
  if (rc == 0) rc = tree_recover(place, err);
  if (rc == 0) rc = check_place(place, err);
  if (rc == 0) rc = tree_remove(made, err);
  if (rc == 0) rc = write_site_tree(&p, err);
  if (rc == 0) rc = tree_replace(made, place, in_steps, err);
  if (lock >= 0) close(lock);
  site_free(&p.site);
  return rc;
}
