/* Runs in memory: all that any report is made of. */
#ifndef RECORD_RUN_DATA_H
#define RECORD_RUN_DATA_H

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
  size_t run; /* whose: index into the data's runs */
  char *case_key, *variant, *mode;
  char *devices;      /* whose, where devices share the series; NULL: all of it */
  struct slot *slots; /* in the file's order; their state from slots.csv, NaN where that is missing */
  size_t count, capacity;
  size_t next; /* while slots.csv is read */
  bool *named; /* while it is read: slots whose process a row names */
  double *ns;  /* what the slots point into */
  size_t ns_count, ns_capacity;
};

/* The graph that a variant stated for a case (graph.csv). */
struct run_graph {
  size_t run; /* whose: index into the data's runs */
  char *case_key, *variant;
  struct graph_node *nodes;
  struct graph_edge *edges; /* between indices of nodes */
  size_t node_count, edge_count;
  bool repeated; /* while it is read: what follows states it again */
};

struct against;
struct against_row;

/* A device of a run on several. */
struct run_device_info {
  char *id;                 /* what its rows have in `devices`; empty: it was not measured */
  struct pairs environment; /* its own, then what all have in common */
  bool unmeasured;          /* or not to the end */
};

/* One of the runs. */
struct run_info {
  char *dir;                       /* NULL: read from a lone results.csv or from a report */
  char *ini;                       /* run.ini as it is; NULL: there is none */
  struct pairs environment, tags;  /* from it */
  struct strings notes;            /* what is missing, as sentences */
  struct strings files;            /* that were read: their names in the directory */
  struct run_device_info *devices; /* of run.ini, where there are several */
  size_t device_count;
  struct against *against; /* what it was compared with; owned; NULL: nothing */
  size_t first, count;     /* its rows, which are consecutive */
  bool unended;            /* the last one has no line end: some of it may be missing */
};

struct run_data {
  char *dir;                      /* of the one run; NULL: it has none, or there are several */
  struct pairs environment, tags; /* what all runs have in common: of one run, all it has */
  struct strings notes;           /* of all runs */
  struct record *records;
  size_t count;
  struct run_samples *samples;
  size_t sample_count;
  struct map series; /* the samples by run, case, variant and mode */
  struct run_graph *graphs;
  size_t graph_count;
  struct extras extras; /* metrics and spans */
  struct foreign_rows foreign;
  struct run_info *runs;
  size_t run_count;
};

/* Reads a run directory (results.csv, run.ini, samples.csv, slots.csv), a lone results.csv, or a report.html with the
 * runs it was made of. What is absent becomes a note; what is damaged is an error that names file and line. `data` is
 * zeroed first. */
int run_data_load(const char *path, struct run_data *data, struct err *err);
/* The same, but rows are not believed that do not follow from the directory's samples: exit 3, naming row, column and
 * both values. Where there are none, words are as stated, which a note says; of another version of gpubench, whose
 * statistics may be others, times alone have to follow. */
int run_data_load_proven(const char *path, struct run_data *data, struct err *err);
/* Of a run directory run.ini alone. */
int run_data_load_ini(const char *dir, struct run_data *data, struct err *err);
/* A run that is there twice would count twice: exit 2. */
int run_data_check_different(const char *const *paths, size_t count, struct err *err);
/* Moves the runs of `from` behind those of `into`; nothing is left of `from`. */
void run_data_merge(struct run_data *into, struct run_data *from);
/* Makes what the runs have in common from what each has. */
void run_data_share(struct run_data *data);
/* The directories are about to go: nothing may name them. */
void run_data_forget_dirs(struct run_data *data);
void run_data_free(struct run_data *data);

/* The first `count` rows by variant, mode, case and, where it makes a difference, device: `rows` is filled. Returns the
 * place of one that is there twice, or MAP_NONE. And where such a row stands, or MAP_NONE. */
size_t run_data_index(const struct run_data *data, size_t count, bool by_device, struct map *rows);
size_t run_data_row(const struct map *rows, const char *device, const char *case_key, const char *mode,
                    const char *variant);

/* A value of what the runs have in common, or NULL. */
const char *run_data_get(const struct run_data *data, const char *name);
/* The index of the run that one of `data->records` is of. */
static inline size_t run_data_run_of(const struct run_data *data, const struct record *record) {
  size_t row = (size_t)(record - data->records), lo = 0, hi = data->run_count;
  while (lo + 1 < hi) { /* the last run that begins at the row or before it */
    size_t middle = lo + (hi - lo) / 2;
    if (data->runs[middle].first <= row)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}
/* The environment that the row was measured in. */
const struct pairs *run_data_environment(const struct run_data *data, const struct record *record);
/* A short name of a run that tells it from the others: its run_id, or "run 2". */
void run_data_run_name(const struct run_data *data, size_t run, char *to, size_t size);

/* Is it a skip that --require forbids (environment key "require": globs)? */
bool record_required(const struct run_data *data, const struct record *record);

/* Samples of the first run that has them, or NULL. */
const struct run_samples *run_data_samples(const struct run_data *data, const char *case_key, const char *variant,
                                           const char *mode);
/* Samples of one of `data->records`, or NULL. */
const struct run_samples *run_data_samples_of(const struct run_data *data, const struct record *record);
/* Those of a run, made where there are none yet. Valid until the next call. */
struct run_samples *run_data_add_samples(struct run_data *data, size_t run, const char *case_key, const char *variant,
                                         const char *mode);

/* That of the run that one of `data->records` is of, and the row's; NULL: none. */
const struct against *against_of(const struct run_data *data, const struct record *record);
const struct against_row *against_row_of(const struct run_data *data, const struct record *record);
/* Has any of the runs one? */
bool against_any(const struct run_data *data);

/* What the variant of one of `data->records` stated beside its times, or NULL. */
const struct extras_series *extras_of(const struct run_data *data, const struct record *record);

/* A run on several devices: what run.ini has of each, and whose samples are whose. */

/* Of runs that were just read: fills their devices, says which were not measured, and gives every row its own samples:
 * in samples.csv the devices share a series, told apart by the numbers of its processes. */
void devices_take(struct run_data *data);

/* What a device is called beside others of one kind: "cuda:3", or its model where no other is of that, or its UUID. */
void devices_label(const struct run_data *data, const struct record *record, char *to, size_t size);

/* Which cases of the runs foreign rows are of. */

/* Sets the fate of every row, and adds a sentence on those that have no case to the data's notes. */
void foreign_match(struct run_data *data);
/* Is there a row for the page or the directory of this run? */
bool foreign_match_is_of(const struct run_data *data, const struct foreign_row *row, size_t run);

#endif
