/* Continues an interrupted run (--resume). Every run writes into its file run.ini the facts that are needed to continue
 * it later. */
#pragma once

#include "options/options.h"
#include "plan/plan.h"
#include "record/run_data.h"
#include "record/rundir.h"

/* The rows of one case of the plan. */
struct resume_case {
  bool complete;
  size_t *rows; /* indices into the records, one per variant, if the case is complete */
};

/* A device of the run. */
struct resume_device {
  /* model of the device; its id as in the column `devices`, NULL if all rows are of one device */
  const char *name, *id;
};

struct resume {
  struct run_data ini;       /* data read from run.ini only */
  struct run_data data;      /* data read from results.csv only */
  size_t rows;               /* number of complete rows in results.csv; only the last row may be incomplete */
  struct resume_case *cases; /* cases in the plan's order, device after device */
  size_t case_count;
  size_t *numbers; /* numbers N of the sections [case-N] in run.ini */
  size_t number_count;
  size_t present; /* index of the present device */
  /* for each case of the plan, the highest number of a process (epoch) in samples.csv, on any device */
  uint32_t *epochs_used;
};

/* Opens the directory (see rundir_open()) and reads it without changing anything. Fails with exit code 2 if the
 * directory is not a run that can be continued. */
int resume_load(const char *path, struct rundir *dir, struct resume *resume, struct err *err);
void resume_free(struct resume *resume);

/* Returns a value of run.ini's environment, or NULL. */
const char *resume_get(const struct resume *resume, const char *name);

/* Checks that the run can be continued: gpubench, plugins and models of devices must be the same. If the run has
 * several devices, each must be the same device as before, unless it was never used. Fails with exit code 2 if
 * something differs; the message has both values. */
int resume_check(const struct resume *resume, const struct pairs *environment, const struct catalog *catalog,
                 const struct resume_device *devices, size_t device_count, struct err *err);

/* Finds the complete cases of the plan on each device. Fails with exit code 2 if the rows belong to another plan. */
int resume_match(struct resume *resume, const struct rundir *dir, const struct plan *plan,
                 const struct resume_device *devices, size_t device_count, struct err *err);

/* Cuts off incomplete lines, drops the rows of incomplete cases from results.csv, and opens the files for appending.
 * Samples of incomplete cases stay in their file: the cases are measured again in processes with new numbers, by which
 * the old and the new samples are told apart. */
int resume_repair(const struct resume *resume, struct rundir *dir, const struct plan *plan, struct err *err);

/* resume_plugin_name() writes the key that a plugin has in run.ini, "plugin.ID" or "plugin.ID@LABEL".
 * resume_plugin_text() writes the value of that key: file hash, ABI, version and build. */
enum { RESUME_PLUGIN_SIZE = 2 * ID_SIZE + 8 };
void resume_plugin_name(const struct catalog_plugin *plugin, char *to, size_t size);
void resume_plugin_text(const struct catalog_plugin *plugin, char *to, size_t size);

/* Loads the run that --resume names, and takes its options. If the run is a shard (part of a divided plan), `shard`
 * becomes its number, and `whole` the number of cases in the whole plan. `former` must be freed in any case. */
int resume_begin(struct resume *former, struct rundir *dir, struct options *options, struct shard *shard, size_t *whole,
                 struct err *err);

/* Returns the rows that the resumed run already has of the case on the present device; NULL: this is a new run. */
const struct resume_case *resume_find_case(const struct resume *former, const struct plan *plan,
                                           const struct plan_case *plan_case);
/* Returns true if the resumed run has all rows of the case on the present device, so that the case is not measured
 * again. */
bool resume_has_case(const struct resume *former, const struct plan *plan, const struct plan_case *plan_case);

/* Notes in run.ini, for a later --resume, the plugins, their options, and the other files that they may load. */
void resume_note_plugins(const struct catalog *catalog, struct pairs *environment);
/* Copies values that the continued run must keep, such as its first start and its tags, from the run.ini of the resumed
 * run to `environment` and `tags`. The new run.ini is written from these. */
void resume_note_former(const struct resume *former, struct pairs *environment, struct pairs *tags);
/* Notes in run.ini of a new run the options that affect the measurement. */
void resume_note_options(const struct options *options, struct pairs *environment);
/* Notes the identity of the whole plan in run.ini. Called for a run that measures a shard (a part) of the plan. Call it
 * last, because the identity depends on the other notes. */
void resume_note_plan(uint64_t identity, struct pairs *environment);
