/* The parsed command line. One table drives parsing, --help and the suggestion of the nearest name. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "options/selection.h"

enum { COMPARE_MAX = 9 /* runs of one comparison, baseline run included */ };

enum command {
  COMMAND_RUN,
  COMMAND_LIST,
  COMMAND_REPORT,
  COMMAND_COMPARE,
  COMMAND_NEW,
  COMMAND_CHECK,
  COMMAND_HISTORY,
  COMMAND_TREND,
  COMMAND_DOCTOR,
  COMMAND_HELP,
  COMMAND_VERSION
};

enum { OPTIONS_MAX = 96 };

#define ROOFS_MEASURE "measure"

/* A part of a plan: the `number`th of `of`, from 1. */
struct shard {
  uint32_t number, of; /* of: 0: the whole plan */
};
enum { SHARDS_MAX = 1000, JOBS_MAX = 64 };

/* Options of several commands. */
struct options_common {
  char *device;       /* default "auto" */
  char *python;       /* the interpreter for plugins that are scripts; NULL: python3 of the active environment */
  bool trust_plugins; /* loads plugins whatever their owners and modes */
  double timeout_s;   /* time limit of a callback; NaN: the default */
  uint64_t seed;      /* default 1 */
  char *color;
  bool quiet;
  int verbosity;
};

struct options_run {
  struct strings suites;
  char *name;
  struct strings tags;  /* "K=V" */
  char *resume;         /* the directory of an interrupted run, or NULL */
  char *lock;           /* "wait", "refuse", "off"; NULL: wait if the run measures times */
  bool in_process;      /* without workers */
  bool isolate;         /* a worker for each provider, kept from the others */
  double memory_limit;  /* bytes of a worker, and of what the host allocates for a variant; 0: none */
  bool energy;          /* measures energy too */
  double energy_time_s; /* length of a window of the energy counter, default 5 */
  double leak_bytes;    /* growth of memory that is allowed over the calls of a trajectory, default 10 MB */
  uint32_t trajectory;  /* consecutive calls per slot; 0: slots of the usual length */
  char *scratch;        /* where scratch directories are made; NULL: $TMPDIR or /tmp */
  char *roofs;          /* "off", "measure" or a run; NULL: measured, or known from earlier runs and checked */
  bool quick, verify_only, profile, dry_run, no_save;
  struct shard shard;   /* the part of the plan to run */
  char *jobs;           /* "all" or a number; NULL: one */
  struct strings words; /* options as typed, which each job gets too, such as "--axis=n=8" */
};

/* Outputs of `run`, `report` and other commands: files, except `out`, a run directory. */
struct options_outputs {
  char *out;
  char *csv, *wide_csv, *html, *json, *markdown, *junit, *ctrf, *gbench, *gh_benchmark, *bmf, *openmetrics;
  char *assets; /* of HTML reports: "inline", "split" */
};

struct options_compare {
  char *against;           /* a stored run to compare with, or NULL */
  char *fail_on;           /* slower, wrong, none; NULL: none */
  double threshold;        /* of a regression; NaN: not given */
  bool force;              /* compare runs that are not alike */
  bool allow_unjudged;     /* --fail-on passes if something could not be judged */
  struct strings foreigns; /* files with rows that other programs measured */
};

struct options_list {
  char *contract;          /* a contract's id or glob, or NULL */
  bool markdown, skeleton; /* formats in which to print the contract */
  bool json;
  bool all, runs; /* all: every preset and run; runs: only runs */
};

struct options_new {
  char *lang, *dir, *guest; /* a language; a folder or NULL; a contract or NULL */
  bool split;               /* kernels in a separate file */
};

struct options_check {
  bool require_all; /* a rule that was not checked fails */
};

struct options_history {
  uint32_t keep;  /* for `prune`: nights to keep; 0: not given */
  char *decided;  /* for `add`: a file, or NULL */
  char *night;    /* for `suspects`: a run id, or NULL */
  char *baseline; /* for `suspects`: a run id, or NULL */
};

struct options_trend {
  char *site;      /* folder to publish the site in, or NULL */
  char *series_by; /* for `history` too: model, uuid */
};

struct options_doctor {
  bool strict;   /* warnings make a machine unfit too */
  bool deep;     /* measures yardsticks too */
  char *history; /* history folder to compare the yardsticks with, or NULL */
  char *root;    /* where the machine's files are, or NULL */
};

struct options {
  enum command command;
  enum command about;       /* for COMMAND_HELP: the command that help is about */
  const char *no_command;   /* the first word if it is not a command and thus a plugin to run; not owned */
  struct strings arguments; /* `report` and `compare`: runs; `new`: a name; `history`: an action and its arguments */
  bool given[OPTIONS_MAX];  /* by index in the table */
  struct selection cli;
  struct options_common common;
  struct options_run run;
  struct options_outputs outputs;
  struct options_compare compare;
  struct options_list list;
  struct options_new new;
  struct options_check check;
  struct options_history history;
  struct options_trend trend;
  struct options_doctor doctor;
};

/* Options by their index in the table; options_name() returns NULL after the last. "Noted" options change the
 * measurement: run.ini records those that are not at their defaults. Of these a resumed run takes the "kept" ones from
 * run.ini. */
const char *options_name(size_t option);
bool options_is_noted(size_t option);
bool options_is_kept(size_t option);
bool options_is_beside_resume(size_t option);
/* Writes the value in a canonical spelling, which options_set() accepts; "" if it is not given. */
void options_text(const struct options *options, size_t option, char *to, size_t size);
int options_set(struct options *options, size_t option, const char *text, struct err *err);

/* Parses argv. Stops at --help and --version after setting the command. Fails with exit 2. */
int options_parse(int argc, char **argv, struct options *options, struct err *err);
void options_free(struct options *options);
/* Returns the requested number of jobs; 0: as many as there are devices. */
uint32_t options_jobs(const struct options *options);
/* Writes "'lits' is not a command (nearest list), so it is taken as a plugin". */
void options_no_command(const char *word, char *to, size_t size);
void options_help(enum command command, FILE *out);
/* Returns true if one of the outputs goes to stdout. */
bool options_use_stdout(const struct options *options);
/* Checks that all output files can be written, before any work is done. Fails with exit 2. */
int options_check_outputs(const struct options *options, struct err *err);
/* Returns true for --quick --against RUN: a user who edits a kernel wants to see the changes only. */
bool options_is_edit(const struct options *options);
/* Returns the time limit of a callback. */
double options_timeout_s(const struct options *options);
