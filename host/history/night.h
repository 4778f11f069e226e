/* A nightly run as the index stores it, made from its files alone, so that a rebuilt index is the same. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "history/store.h"

/* The series that a row belongs to. The rows of a series measure the same variant, case and mode on different
 * nights. */
struct night_series {
  int64_t id;   /* hash of all members below, so the same series has the same id on every machine */
  char *device; /* what identifies the kind of device: model, memory, power limit, MIG: "NVIDIA H200, 150 GB, 700 W" */
  char *uuid;
  char *plugin, *bench, *case_key, *variant, *mode;
};

enum { NIGHT_YARDSTICK = 1, NIGHT_CONTENDED = 2, NIGHT_ACCEPTED = 4, NIGHT_QUICK = 8 };
/* night_row.flags also holds the reasons why a time does not prove that a variant is faster (bits of
 * model/proof/unproven.h), shifted left by this number */
enum { NIGHT_UNPROVEN_SHIFT = 8 };

struct night_row {
  struct night_series series;
  const char *status; /* name of an enum row_status */
  int64_t median_ps;  /* median in picoseconds; -1: not timed */
  /* how far the ends of the 95% interval are from the median, in parts per million; -1: not known */
  int64_t below_ppm, above_ppm;
  int64_t sd_ppm;    /* standard deviation between restarts (fresh processes), in parts per million; -1: not known */
  int64_t restarts;  /* -1: not known */
  const char *bound; /* what limits the variant's speed: "memory", "compute", "latency" or "" */
  int64_t flags;
  const char *confirmed; /* verdict of a confirmation, a later run that measured the row again; "": there was none */
  double step;           /* relative change that the confirmation found; NaN: not known */
  int64_t again_ps;      /* result of the second measurement in picoseconds; -1: there was none */
};

struct night_device {
  char *uuid, *device, *driver, *clock, *host;
};

struct night_build {
  char *plugin, *version, *sha256;
};

struct night_entry {
  char *run_id, *started, *name, *commit;
  char *fault;          /* why the night is incomplete; "": it is complete */
  char *verdict, *text; /* the decision on the night; "": there is none */
  struct night_row *rows;
  size_t row_count, timed;
  struct night_device *devices;
  size_t device_count;
  struct night_build *builds;
  size_t build_count;
  struct run_data data;    /* owns texts to which the rows point */
  struct decided *decided; /* owns further texts to which the rows point */
};

/* Returns the text that identifies the kind of a device ("NVIDIA H200, 150 GB, 700 W"), made from a row and the
 * environment of its run. The caller frees it. */
char *night_device_kind(const struct pairs *environment, const struct record *record);

/* Reads a night. Fails with exit code 3 if the index cannot store the night: more rows than HISTORY_ROWS_MOST, or texts
 * that are too long. */
int night_read(const struct history *history, const char *run_id, struct night_entry *night, struct err *err);
void night_free(struct night_entry *night);
