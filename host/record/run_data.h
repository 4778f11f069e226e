/* Runs in memory: the input of all reports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/pairs.h"
#include "base/text.h"
#include "model/model.h"
#include "record/extras.h"
#include "record/foreign.h"
#include "record/record.h"
#include "stats/stats.h"

/* The raw samples of one variant of one case. */
struct run_samples {
  size_t run; /* index of their run */
  char *case_key, *variant, *mode;
  char *devices;      /* the device whose part of a shared series this is; NULL: the whole series */
  struct slot *slots; /* in the file's order; their states come from slots.csv, NaN if that is missing */
  size_t count, capacity;
  size_t next; /* position while slots.csv is read */
  bool *named; /* during reading: slots whose process is named by a row */
  double *ns;  /* storage of the slots' samples */
  size_t ns_count, ns_capacity;
};

/* The graph that a variant stated for a case (graph.csv). */
struct run_graph {
  size_t run; /* index of its run */
  char *case_key, *variant;
  struct graph_node *nodes;
  struct graph_edge *edges; /* between indices of nodes */
  size_t node_count, edge_count;
  bool repeated; /* during reading: the following rows repeat it */
};

struct against;
struct against_row;

/* A device of a run on several devices. */
struct run_device_info {
  char *id;                 /* as in the rows' column `devices`; empty: it was not measured */
  struct pairs environment; /* its own pairs, then the common ones */
  bool unmeasured;          /* or not completely */
};

/* One of the runs. */
struct run_info {
  char *dir;                       /* NULL: read from a single results.csv or from a report */
  char *ini;                       /* the text of run.ini; NULL: there is none */
  struct pairs environment, tags;  /* from run.ini */
  struct strings notes;            /* sentences about missing data */
  struct strings files;            /* names of the files that were read */
  struct run_device_info *devices; /* from run.ini, if there are several */
  size_t device_count;
  struct against *against; /* owned; its comparison with a baseline run; NULL: none */
  size_t first, count;     /* its rows, which are consecutive */
  bool unended;            /* the last row has no line end, so it may be truncated */
};

struct run_data {
  char *dir;                      /* of the only run; NULL: it has none, or there are several runs */
  struct pairs environment, tags; /* pairs that all runs have in common */
  struct strings notes;           /* of all runs */
  struct record *records;
  size_t count;
  struct run_samples *samples;
  size_t sample_count;
  struct map series; /* index of the samples by run, case, variant and mode */
  struct run_graph *graphs;
  size_t graph_count;
  struct extras extras; /* metrics and spans */
  struct foreign_rows foreign;
  struct run_info *runs;
  size_t run_count;
};

/* Reads a run directory (results.csv, run.ini, samples.csv, slots.csv), a single results.csv, or a report.html with its
 * runs. Missing data becomes a note; damaged data is an error that names file and line. `data` is zeroed first. */
int run_data_load(const char *path, struct run_data *data, struct err *err);
/* The same, but rejects rows that do not follow from the directory's samples: exit code 3, with row, column and both
 * values. Without samples verdicts are taken as stated, which a note says; with another version of gpubench, whose
 * statistics may differ, only times are checked. */
int run_data_load_proven(const char *path, struct run_data *data, struct err *err);
/* Reads only run.ini of a run directory. */
int run_data_load_ini(const char *dir, struct run_data *data, struct err *err);
/* Exit code 2 if a run is there twice, because it would count twice. */
int run_data_check_different(const char *const *paths, size_t count, struct err *err);
/* Moves the runs of `from` to the end of `into`; leaves `from` empty. */
void run_data_merge(struct run_data *into, struct run_data *from);
/* Updates what the runs have in common. */
void run_data_share(struct run_data *data);
/* Removes the paths of directories that are about to be deleted. */
void run_data_forget_dirs(struct run_data *data);
void run_data_free(struct run_data *data);

/* run_data_index() indexes the first `count` rows by variant, mode, case and, with `by_device`, device. Returns the
 * index of a repeated row, or MAP_NONE. run_data_row() returns the index of such a row, or MAP_NONE. */
size_t run_data_index(const struct run_data *data, size_t count, bool by_device, struct map *rows);
size_t run_data_row(const struct map *rows, const char *device, const char *case_key, const char *mode,
                    const char *variant);

/* Returns a value that all runs have in common, or NULL. */
const char *run_data_get(const struct run_data *data, const char *name);
/* Returns the index of the run that one of `data->records` belongs to. */
static inline size_t run_data_run_of(const struct run_data *data, const struct record *record) {
  size_t row = (size_t)(record - data->records), lo = 0, hi = data->run_count;
  while (lo + 1 < hi) { /* finds the last run that begins at this row or before it */
    size_t middle = lo + (hi - lo) / 2;
    if (data->runs[middle].first <= row)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}
/* Returns the environment in which the row was measured. */
const struct pairs *run_data_environment(const struct run_data *data, const struct record *record);
/* Writes a short name that tells the run from the others: its run_id, or "run 2". */
void run_data_run_name(const struct run_data *data, size_t run, char *to, size_t size);

/* Returns true for a row that was skipped or not run although --require demands it (globs under the environment key
 * "require"). */
bool record_required(const struct run_data *data, const struct record *record);

/* Returns the samples of the first run that has them, or NULL. */
const struct run_samples *run_data_samples(const struct run_data *data, const char *case_key, const char *variant,
                                           const char *mode);
/* Returns the samples of one of `data->records`, or NULL. */
const struct run_samples *run_data_samples_of(const struct run_data *data, const struct record *record);
/* Returns the samples of a run, which are made on first use. Valid until the next call. */
struct run_samples *run_data_add_samples(struct run_data *data, size_t run, const char *case_key, const char *variant,
                                         const char *mode);

/* Return the comparison of the run that one of `data->records` belongs to, and its row; NULL: none. */
const struct against *against_of(const struct run_data *data, const struct record *record);
const struct against_row *against_row_of(const struct run_data *data, const struct record *record);
/* Returns true if any run has a comparison. */
bool against_any(const struct run_data *data);

/* Returns the metrics and spans of the variant of one of `data->records`, or NULL. */
const struct extras_series *extras_of(const struct run_data *data, const struct record *record);

/* ---- Runs on several devices ---- */

/* For runs that were just read: fills in their devices, notes those that were not measured, and gives every row its own
 * samples: in samples.csv the devices share a series and differ by the numbers of its processes. */
void devices_take(struct run_data *data);

/* Writes the shortest clear name of a device: its model if it is unique, else "cuda:3", else its UUID. */
void devices_label(const struct run_data *data, const struct record *record, char *to, size_t size);

/* ---- Foreign rows ---- */

/* Sets the fate of every foreign row, and adds a note about those without a case. */
void foreign_match(struct run_data *data);
/* Returns true if the row belongs to the page or the directory of this run. */
bool foreign_match_is_of(const struct run_data *data, const struct foreign_row *row, size_t run);
