/* A static site about a history of nightly runs: index.html, a page for each bench, reports of nights, a feed, a badge,
 * and the index of the history to download. Links are relative; no page needs a server or a script, and no page loads
 * anything. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "trend/trend.h"

enum {
  SITE_REPORTS = 30,           /* at most this many reports, those of the newest nights */
  SITE_REPORT_BYTES = 1900000, /* at most this many bytes of reports; the newest night's report is always written */
  SITE_CHANGES = 100,          /* at most this many rows in the table of index.html */
  SITE_CHARTS = 400,           /* at most this many charts on a bench's page */
};

struct site_bench {
  const char *name; /* the bench's full name, "plugin/bench" */
  char file[ID_SIZE * 2];
  size_t *rows, count; /* indices of its rows in the trend, the largest changes first */
};

struct site {
  const struct trend *trend;
  struct site_bench *benches;
  size_t bench_count;
  bool *report; /* for each night, true if the site contains the report of the night */
};

void site_build(const struct trend *trend, struct site *site);
void site_free(struct site *site);

/* Write the pages. The caller checks `out` for errors. */
void site_index(const struct site *site, FILE *out);
void site_bench(const struct site *site, const struct site_bench *bench, FILE *out);

/* Publishes the site: writes it to a folder next to `path` and then exchanges the two folders, so that a reader finds
 * either the old or the new site complete. Returns an exit code: 2 if `path` exists and is no site; 3 if the site
 * cannot be written, or another process publishes there. *in_steps becomes true if the file system cannot exchange
 * folders atomically; see base/tree.h. */
int site_publish(const struct history *history, const struct trend *trend, const char *path, bool *in_steps,
                 struct err *err);

/* Writes a name as a part of a URL. */
void site_url(FILE *out, const char *text);
