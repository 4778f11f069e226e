/* The parsed command line. One table of options drives parsing, --help and the suggestion of the nearest name. No
 * I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "options/selection.h"

enum { COMPARE_MAX = 9 /* most runs of one comparison, the baseline run included */ };

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

#define CEILINGS_MEASURE "measure"

/* A part of a plan: part `number` (from 1) of `of` parts. */
struct shard {
  uint32_t number, of; /* of: the number of parts; 0: the plan is not divided */
};
enum { SHARDS_MAX = 1000, JOBS_MAX = 64 };

/* Options that several commands have. */
struct options_common {
  char *device;       /* the device or devices to use; default "auto" */
  char *python;       /* the interpreter for plugins that are scripts; NULL: python3 of the active environment */
  bool trust_plugins; /* true: plugins are loaded no matter who owns their files or may write to them */
  double timeout_s;   /* time limit of a callback; NaN: the default */
  uint64_t seed;      /* seed of random numbers, such as those in input data; default 1 */
  char *color;
  bool quiet;
  int verbosity;
};

struct options_run {
  struct strings suites;
  char *name;
  struct strings tags; /* tags that are stored with the run, each "KEY=VALUE" */
  char *resume;        /* the directory of an interrupted run, or NULL */
  /* "wait" or "refuse": what to do while another run has locked the device; "off": no lock is taken; NULL: wait if the
   * run measures times */
  char *lock;
  bool in_process; /* true: plugins run in this process, without worker processes */
  bool isolate;    /* true: each plugin is measured in a separate worker process */
  /* limit in bytes, both of the memory of a worker and of what the host allocates for a variant; 0: no limit */
  double memory_limit;
  bool energy;          /* true: energy is measured as well */
  double energy_time_s; /* longest time over which energy is measured, in seconds; default 5 */
  /* number of bytes by which memory may grow over the consecutive calls of --trajectory; default 10 MB */
  double leak_bytes;
  uint32_t trajectory; /* number of calls of a variant that follow each other; 0: as many as usual */
  char *scratch;       /* folder in which scratch directories are made; NULL: $TMPDIR or /tmp */
  /* where the ceilings (highest rates of the device) come from: "off", "measure" or a run; NULL: they are measured, or
   * taken from earlier runs and checked */
  char *ceilings;
  bool quick, verify_only, profile, dry_run, no_save;
  struct shard shard;   /* the part of the plan to run */
  char *jobs;           /* number of jobs (processes) that divide the plan; "all": one for each device; NULL: one */
  struct strings words; /* the options as typed, such as "--axis=n=8"; each job gets them, too */
};

/* Paths of the outputs of `run`, `report` and other commands: files, except `out`, which is a run directory. */
struct options_outputs {
  char *out;
  char *csv, *wide_csv, *html, *json, *markdown, *junit, *ctrf, *gbench, *gh_benchmark, *bmf, *openmetrics;
  char *assets; /* how HTML reports contain scripts and styles: "inline", "split" */
};

struct options_compare {
  char *against;           /* a stored run to compare with, or NULL */
  char *fail_on;           /* when the exit code reports a failed comparison: "slower", "wrong" or "none"; NULL: none */
  double threshold;        /* difference from which on a row counts as a regression; NaN: not given */
  bool force;              /* true: compares runs even if they are not comparable */
  bool allow_unjudged;     /* true: --fail-on passes even if something could not be judged */
  struct strings foreigns; /* files with rows that other programs measured */
};

struct options_list {
  char *contract; /* contract (name of a bench's interface) to describe, or a glob; NULL: none */
  bool markdown;  /* true: prints the contract as Markdown */
  bool skeleton;  /* true: prints C code for a variant of the bench, in which only the computation is missing */
  bool json;
  bool all;  /* true: prints also presets (named sets of parameter values) that are not default, and older runs */
  bool runs; /* true: prints only stored runs */
};

struct options_new {
  char *lang; /* programming language of the new plugin */
  char *dir;  /* folder to make for the new plugin; NULL: it is named after the plugin */
  /* contract (name of a bench's interface) of another plugin's bench, to which the new plugin adds a variant; NULL: the
   * new plugin defines a bench */
  char *guest;
  bool split; /* true: kernels go to a separate file */
};

struct options_check {
  bool require_all; /* true: a rule that could not be checked is a failure */
};

struct options_history {
  uint32_t keep;  /* for `prune`: number of nightly runs to keep, which are the newest ones; 0: not given */
  char *decided;  /* for `add`: a decided.csv, with decisions about the nightly run; NULL: none */
  char *night;    /* for `suspects`: run id of the nightly run that is judged; NULL: the newest */
  char *baseline; /* for `suspects`: run id of the nightly run that it is compared with; NULL: not given */
};

struct options_trend {
  char *site; /* folder to publish the site in, or NULL */
  /* "model" or "uuid": there is a series for each model of device or for each device; also used by `history` */
  char *series_by;
};

struct options_doctor {
  /* true: even a warning makes the machine count as unfit */
  bool strict;
  /* true: measures yardsticks (simple kernels such as a copy) as well */
  bool deep;
  /* history folder with earlier times of the yardsticks, to compare the measured times with; NULL: none */
  char *history;
  char *root; /* folder below which the machine's files (/proc, /sys, ...) are read; NULL: "/" */
};

struct options {
  enum command command;
  enum command about;     /* for COMMAND_HELP: the command whose help is printed */
  const char *no_command; /* the first word of the command line if it is not a command and is taken as a plugin to run;
                             not owned */
  /* words after the command: for `report` and `compare` names of runs; for `new` a name; for `history` an action and
   * its arguments */
  struct strings arguments;
  bool given[OPTIONS_MAX]; /* true for each option that was given, by its index in the table of options */
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

/* These functions name an option by its index in the table; options_name() returns NULL after the last one. An option
 * that is "noted" changes the measurement: run.ini records it if it is not at its default. If it is also "kept", a
 * resumed run takes its value from run.ini. options_is_beside_resume() returns true if the option may be given together
 * with --resume. */
const char *options_name(size_t option);
bool options_is_noted(size_t option);
bool options_is_kept(size_t option);
bool options_is_beside_resume(size_t option);
/* options_text() writes the option's value in a canonical spelling, "" if it is not given; options_set() accepts that
 * spelling. */
void options_text(const struct options *options, size_t option, char *to, size_t size);
int options_set(struct options *options, size_t option, const char *text, struct err *err);

/* Parses argv. Stops at --help and --version, after setting the command. Fails with exit code 2. */
int options_parse(int argc, char **argv, struct options *options, struct err *err);
void options_free(struct options *options);
/* Returns the requested number of jobs; 0: as many as there are devices. */
uint32_t options_jobs(const struct options *options);
/* Writes why a word is taken as a plugin: "'lits' is not a command (nearest list), so it is taken as a plugin". */
void options_no_command(const char *word, char *to, size_t size);
void options_help(enum command command, FILE *out);
/* Returns true if one of the outputs goes to stdout. */
bool options_use_stdout(const struct options *options);
/* Checks that all output files can be written, before any work is done. Fails with exit code 2. */
int options_check_outputs(const struct options *options, struct err *err);
/* Returns true if --quick and --against are both given, as users do who edit a kernel. Then only changes
 * are shown. */
bool options_is_edit(const struct options *options);
/* Returns the time limit of a callback in seconds. */
double options_timeout_s(const struct options *options);
