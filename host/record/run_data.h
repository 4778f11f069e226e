/* The results of one or more stored runs, read into memory. All reports are made from them. A run is one execution of
 * gpubench, whose files lie in a run directory. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/map.h"
#include "base/pairs.h"
#include "base/text.h"
#include "model/model.h"
#include "record/extras.h"
#include "record/foreign.h"
#include "record/record.h"
#include "stats/stats.h"

/* The raw samples of one variant (implementation) in one case (benchmark with certain parameters). */
struct run_samples {
  size_t run; /* index of the run that the samples are from */
  char *case_key, *variant, *mode;
  /* the device that measured the samples; NULL: the samples were not divided by device */
  char *devices;
  /* in the order of samples.csv. A slot consists of consecutive samples and of the state of the device during them,
   * such as its clock. That state is read from slots.csv; it is not known if that file is missing */
  struct slot *slots;
  size_t count, capacity;
  size_t next; /* index of the slot at which the search for the next row of slots.csv begins */
  /* used while reading: named[i] is true if some row of results.csv is computed from slot i */
  bool *named;
  double *ns; /* the samples of all slots, to which the slots point */
  size_t ns_count, ns_capacity;
};

/* The kernels that a variant launches in a case, and the tensors that they read and write, as the plugin describes them
 * for a diagram in the report (graph.csv). */
struct run_graph {
  size_t run; /* index of the run that the graph is from */
  char *case_key, *variant;
  struct graph_node *nodes;
  struct graph_edge *edges; /* each edge names its two nodes by their indices in `nodes` */
  size_t node_count, edge_count;
  /* used while reading: true once the graph is complete; later rows with the same names repeat it for another mode and
   * are ignored */

  bool repeated;
};

struct against;
struct against_row;

/* A device of a run on several devices. */
struct run_device_info {
  char *id; /* the device's name as in the column `devices` of the rows; empty if the device was not measured */
  struct pairs environment; /* the pairs of run.ini about this device, then those about all devices */
  bool unmeasured;          /* true if the device was not measured, or not completely */
};

/* One of the runs in memory. */
struct run_info {
  char *dir;                       /* NULL: read from a single results.csv or from a report */
  char *ini;                       /* the text of run.ini; NULL: there is none */
  struct pairs environment, tags;  /* the sections [environment] and [tags] of run.ini */
  struct strings notes;            /* sentences about missing data */
  struct strings files;            /* names of the files that were read */
  struct run_device_info *devices; /* the devices that run.ini lists, if the run had several */
  size_t device_count;
  struct against *against; /* the run's comparison with a baseline run; owned; NULL: none */
  size_t first, count;     /* the run's rows, which are consecutive: index of the first, and their number */
  bool unended;            /* the last row has no line end, so it may be truncated */
};

struct run_data {
  /* directory of the run, if there is only one; NULL if that run has no directory, or if there are several runs */
  char *dir;
  struct pairs environment, tags; /* the pairs that all runs have in common */
  struct strings notes;           /* the notes of all runs */
  struct record *records;
  size_t count;
  struct run_samples *samples;
  size_t sample_count;
  struct map series; /* index of the samples by run, case, variant and mode */
  struct run_graph *graphs;
  size_t graph_count;
  /* values other than times that variants reported in any run (metrics), and intervals on timelines (spans) */
  struct extras extras;
  struct foreign_rows foreign;
  struct run_info *runs;
  size_t run_count;
};

/* Reads a run directory (results.csv, run.ini, samples.csv, slots.csv), a single results.csv, or a report.html with its
 * runs. Missing data becomes a note; damaged data is an error that names file and line. `data` is zeroed first. */
int run_data_load(const char *path, struct run_data *data, struct err *err);
/* Reads like run_data_load(), and checks the rows against the samples in the directory. A row that does not follow from
 * its samples is an error: exit code 3, with row, column and both values. If the samples are missing, verdicts are
 * accepted unchecked, and a note says so. If another version of gpubench wrote the run, only times are checked, because
 * its statistics may differ. */
int run_data_load_proven(const char *path, struct run_data *data, struct err *err);
/* Reads only run.ini of a run directory. */
int run_data_load_ini(const char *dir, struct run_data *data, struct err *err);
/* Fails with exit code 2 if two of the paths are the same run, because the run would count twice. */
int run_data_check_different(const char *const *paths, size_t count, struct err *err);
/* Moves the runs of `from` to the end of `into`; leaves `from` empty. */
void run_data_merge(struct run_data *into, struct run_data *from);
/* Computes again what depends on all runs together: the environment pairs and tags that they have in common, the list
 * of all notes, and the cases to which the rows timed by other programs (foreign rows) belong. */
void run_data_share(struct run_data *data);
/* Forgets the paths of the runs' directories, because the caller is about to delete the directories. */
void run_data_forget_dirs(struct run_data *data);
void run_data_free(struct run_data *data);

/* run_data_index() builds an index of the first `count` rows by variant, mode, case and, if `by_device`, device. If two
 * rows have the same of all these, it returns the number of the second one; otherwise MAP_NONE. run_data_row() looks up
 * a row in such an index and returns its number, or MAP_NONE. */
size_t run_data_index(const struct run_data *data, size_t count, bool by_device, struct map *rows);
size_t run_data_row(const struct map *rows, const char *device, const char *case_key, const char *mode,
                    const char *variant);

/* Returns the value of this name in the section [environment] of run.ini if all runs have the same one; else NULL. */
const char *run_data_get(const struct run_data *data, const char *name);
/* Returns the index of the run that `record`, one of `data->records`, belongs to. */
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
/* Returns the environment (pairs of run.ini) in which the row was measured. */
const struct pairs *run_data_environment(const struct run_data *data, const struct record *record);
/* Returns a short name that distinguishes the run from the other runs in `data`: its run_id, or "run 2". */
struct text run_data_run_name(const struct run_data *data, size_t run);

/* Returns true if the row was skipped or not run although --require demands it. The environment key "require" has the
 * globs of that option. */
bool record_required(const struct run_data *data, const struct record *record);

/* Returns the samples of this case, variant and mode from the first run that has them, or NULL. */
const struct run_samples *run_data_samples(const struct run_data *data, const char *case_key, const char *variant,
                                           const char *mode);
/* Returns the samples of `record`, which is one of `data->records`, or NULL. */
const struct run_samples *run_data_samples_of(const struct run_data *data, const struct record *record);
/* Returns the samples of a case, variant and mode in a run; makes an empty entry on first use. The pointer is valid
 * until the next call. */
struct run_samples *run_data_add_samples(struct run_data *data, size_t run, const char *case_key, const char *variant,
                                         const char *mode);

/* `record` is one of `data->records`. against_of() returns the comparison of its run with a baseline run,
 * against_row_of() the row of that comparison for `record`. Both return NULL if there is none. */
const struct against *against_of(const struct run_data *data, const struct record *record);
const struct against_row *against_row_of(const struct run_data *data, const struct record *record);
/* Returns true if any run has a comparison with a baseline run. */
bool against_any(const struct run_data *data);

/* Returns the metrics and spans of the variant of one of `data->records`, or NULL. */
const struct extras_series *extras_of(const struct run_data *data, const struct record *record);

/* ---- Runs on several devices ---- */

/* Completes runs that were just read. Fills in the list of their devices, and adds a note about devices that were not
 * measured. In samples.csv, samples of one variant from several devices form one series; only the numbers of the
 * processes tell the devices apart. This function divides the series, so that each row has only the samples of its
 * device. */
void devices_take(struct run_data *data);

/* Writes the shortest name that tells the device which measured the row from the other devices of its run: its model,
 * else "cuda:3", else its UUID. */
void devices_label(const struct run_data *data, const struct record *record, char *to, size_t size);

/* ---- Foreign rows ---- */

/* Finds the case of every foreign row (timed by another program) and sets the row's `place`. Adds a note about the rows
 * that have no case. */
void foreign_match(struct run_data *data);
/* Returns true if the foreign row belongs in the report or in the directory of run number `run`. */
bool foreign_match_is_of(const struct run_data *data, const struct foreign_row *row, size_t run);
