/* The command line. One table drives parsing, --help and the nearest-name message. Pure. */
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "options/selection.h"

enum { COMPARE_MAX = 9 /* runs that one comparison takes, the base with them */ };

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

/* Which part of a plan is run: the `number`th of `of`, from 1. */
struct shard {
  uint32_t number, of; /* of: 0: all of it */
};
enum { SHARDS_MAX = 1000, JOBS_MAX = 64 };

/* What several commands take. */
struct options_common {
  char *device;       /* "auto" */
  char *python;       /* the interpreter of plugins that are scripts; NULL: the active environment's, python3 */
  bool trust_plugins; /* whatever their owners and modes */
  double timeout_s;   /* per callback; NaN: the default */
  uint64_t seed;      /* default 1 */
  char *color;
  bool quiet;
  int verbosity;
};

struct options_run {
  struct strings suites;
  char *name;
  struct strings tags;  /* "K=V" */
  char *resume;         /* an interrupted run's directory, or NULL */
  char *lock;           /* "wait", "refuse", "off"; NULL: wait, where times are taken */
  bool in_process;      /* no workers */
  bool isolate;         /* a worker for each provider, kept from the others */
  double memory_limit;  /* bytes, of a worker and of what the host allocates for a variant; 0: none */
  bool energy;          /* joules too */
  double energy_time_s; /* length of a window of the energy counter, default 5 */
  double leak_bytes;    /* growth of memory that is allowed over a trajectory's calls, default 10 MB */
  uint32_t trajectory;  /* calls in a row per slot; 0: slots of the usual length */
  char *scratch;        /* where scratch directories are made; NULL: $TMPDIR or /tmp */
  char *roofs;          /* "off", "measure", a run to take them from; NULL: measured, or remembered and checked */
  bool quick, verify_only, profile, dry_run, no_save;
  struct shard shard;   /* its part of the plan */
  char *jobs;           /* "all", or how many; NULL: one */
  struct strings words; /* as given: what each of its jobs is given too, "--axis=n=8" */
};

/* What `run`, `report` and others write: files but for `out`, a run directory. */
struct options_outputs {
  char *out;
  char *csv, *wide_csv, *html, *json, *markdown, *junit, *ctrf, *gbench, *gh_benchmark, *bmf, *openmetrics;
  char *assets; /* of reports: "inline", "split" */
};

struct options_compare {
  char *against;           /* a stored run to compare with, or NULL */
  char *fail_on;           /* slower, wrong, none; NULL: none */
  double threshold;        /* of a regression; NaN: not given */
  bool force;              /* compare what is not alike */
  bool allow_unjudged;     /* what could not be judged fails no --fail-on */
  struct strings foreigns; /* files of rows that other programs timed */
};

struct options_list {
  char *contract;          /* a contract's id or a glob, or NULL */
  bool markdown, skeleton; /* of the contract */
  bool json;
  bool all, runs; /* every preset and run; runs alone */
};

struct options_new {
  char *lang, *dir, *guest; /* a language; a folder, a contract, or NULL */
  bool split;               /* kernels in a file of their own */
};

struct options_check {
  bool require_all; /* what was not checked fails */
};

struct options_history {
  uint32_t keep;  /* of `prune`: nights; 0: not given */
  char *decided;  /* of `add`: a file, or NULL */
  char *night;    /* of `suspects`: a run id, or NULL */
  char *baseline; /* likewise */
};

struct options_trend {
  char *site;      /* a folder to publish in, or NULL */
  char *series_by; /* of `history` too: model, uuid */
};

struct options_doctor {
  bool strict;   /* warnings make a machine unfit too */
  bool deep;     /* measure yardsticks too, */
  char *history; /* beside those of this history folder, or NULL */
  char *root;    /* where the machine's files are, or NULL */
};

struct options {
  enum command command;
  enum command about;       /* of COMMAND_HELP: whose help */
  const char *no_command;   /* the first word, where it is none of the commands and so a plugin to run; not owned */
  struct strings arguments; /* of `report` and `compare`: runs; of `new`: a name; of `history`: an action, its words */
  bool given[OPTIONS_MAX];  /* by place in the table */
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

/* Options by their place in the table, from 0; the name behind the last is NULL. `noted` ones change what is measured:
 * run.ini has those that are not at their defaults, and of them `kept` ones are taken from there when a run is resumed.
 */
const char *options_name(size_t option);
bool options_is_noted(size_t option);
bool options_is_kept(size_t option);
bool options_is_beside_resume(size_t option);
/* The value in one spelling, which options_set() takes; "" where it is not given. */
void options_text(const struct options *options, size_t option, char *to, size_t size);
int options_set(struct options *options, size_t option, const char *text, struct err *err);

/* Parses argv. On --help and --version it sets the command and stops. Exit code 2 on error. */
int options_parse(int argc, char **argv, struct options *options, struct err *err);
void options_free(struct options *options);
/* How many jobs are asked for: 0: as many as there are devices. */
uint32_t options_jobs(const struct options *options);
/* "'lits' is no command (nearest list), so it is taken for a plugin". */
void options_no_command(const char *word, char *to, size_t size);
void options_help(enum command command, FILE *out);
/* Does one of the outputs go to stdout? */
bool options_use_stdout(const struct options *options);
/* Can all files be written that are to be? Asked before anything is done for them; exit code 2. */
int options_check_outputs(const struct options *options, struct err *err);
/* A look at what an edit has changed, --quick --against RUN: who reads it has read the rest before. */
bool options_is_edit(const struct options *options);
/* What a callback may take. */
double options_timeout_s(const struct options *options);

#endif
