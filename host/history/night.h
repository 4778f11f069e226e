/* A night as the index has it, made of its files alone, so that an index made anew is the same. */
#ifndef HISTORY_NIGHT_H
#define HISTORY_NIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "history/store.h"

/* Which series a row belongs to. */
struct night_series {
  int64_t id;   /* of all below; the same on every machine */
  char *device; /* model, memory, power limit, MIG: "NVIDIA H200, 150 GB, 700 W" */
  char *uuid;
  char *plugin, *bench, *case_key, *variant, *mode;
};

enum { NIGHT_YARDSTICK = 1, NIGHT_CONTENDED = 2, NIGHT_ACCEPTED = 4, NIGHT_QUICK = 8 };
enum { NIGHT_UNPROVEN_SHIFT = 8 }; /* above it: bits of model/proof/unproven.h */

struct night_row {
  struct night_series series;
  const char *status;           /* one of the names of rows' statuses */
  int64_t median_ps;            /* -1: not timed */
  int64_t below_ppm, above_ppm; /* ends of its 95% interval; -1: not known */
  int64_t sd_ppm;               /* between restarts; -1: not known */
  int64_t restarts;             /* -1 */
  const char *bound;            /* memory, compute, latency, or "" */
  int64_t flags;
  const char *confirmed; /* what a confirmation said; "": none was made */
  double step;           /* NaN */
  int64_t again_ps;      /* -1 */
};

struct night_device {
  char *uuid, *device, *driver, *clock, *host;
};

struct night_build {
  char *plugin, *version, *sha256;
};

struct night_entry {
  char *run_id, *started, *name, *commit;
  char *fault;          /* why it is not whole; "": it is */
  char *verdict, *text; /* what was decided; "" */
  struct night_row *rows;
  size_t row_count, timed;
  struct night_device *devices;
  size_t device_count;
  struct night_build *builds;
  size_t build_count;
  struct run_data data;    /* rows point into it, */
  struct decided *decided; /* and into this */
};

/* What a series has as its device, of a row and the environment that it was measured in; for the caller to free. */
char *night_device_kind(const struct pairs *environment, const struct record *record);

/* Exit 3 for what no index takes: more rows than HISTORY_ROWS_MOST, texts beyond their bounds. */
int night_read(const struct history *history, const char *run_id, struct night_entry *night, struct err *err);
void night_free(struct night_entry *night);

#endif
