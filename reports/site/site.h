/* A site of static pages about a history: index.html, a page per bench, reports of nights, a feed, a badge, the index
 * to download. Links are relative; no page needs a server or a script, and nothing is loaded. */
#ifndef SITE_SITE_H
#define SITE_SITE_H

#include <stdio.h>

#include "base/err.h"
#include "trend/trend.h"

enum {
  SITE_REPORTS = 30,           /* newest nights with a report, at most; */
  SITE_REPORT_BYTES = 1900000, /* as many as come to this, but always tonight's */
  SITE_CHANGES = 100,          /* rows of the index's table */
  SITE_CHARTS = 400,           /* on a bench's page */
};

struct site_bench {
  const char *name; /* plugin/bench */
  char file[ID_SIZE * 2];
  size_t *rows, count; /* of the trend, by name */
};

struct site {
  const struct trend *trend;
  struct site_bench *benches;
  size_t bench_count;
  bool *report; /* per night: is its report in the site? */
};

void site_build(const struct trend *trend, struct site *site);
void site_free(struct site *site);

/* The pages. They write to `out` what errors of the stream are then found in. */
void site_index(const struct site *site, FILE *out);
void site_bench(const struct site *site, const struct site_bench *bench, FILE *out);

/* Writes all of it beside `path` and puts it in its place, so that a reader finds yesterday's or today's whole. Exit 2:
 * something else is there; 3: it cannot be written, or another process publishes there. `in_steps`: the file system
 * cannot exchange folders; see base/tree.h. */
int site_publish(const struct history *history, const struct trend *trend, const char *path, bool *in_steps,
                 struct err *err);

/* What pages share. A name as a part of a URL. */
void site_url(FILE *out, const char *text);

#endif
