/* The table of options and the types of its entries. Shared by options/entries.c (the entries), options/values.c (their
 * values), options/parse.c (the words of a command line) and host/manual (man page, completions). */
#pragma once

#include "options/options.h"

/* Commands, as bits. */
enum {
  RUN = 1,
  LIST = 2,
  REPORT = 4,
  VERSUS = 8,
  NEW = 16,
  CHECK = 32,
  HISTORY = 64,
  TREND = 128,
  DOCTOR = 256,
  ALL = RUN | LIST | REPORT | VERSUS | NEW | CHECK | HISTORY | TREND | DOCTOR
};
/* Bits for options of `run`. KEPT: run.ini records the option if it is not at its default, and a resumed run takes its
 * value from there. NOTED: run.ini records the option as part of its selections. BESIDE: the option may be given
 * together with --resume. */
enum { KEPT = 512, NOTED = 1024, BESIDE = 2048 };
/* WHOLE: the option concerns the whole run, which --jobs divides into jobs; it is not passed to the jobs. Options for
 * output files are of this kind. */
enum { WHOLE = 4096 };

enum kind {
  KIND_FLAG,  /* bool */
  KIND_COUNT, /* int, incremented each time the option is given */
  KIND_TEXT,  /* char *, any text */
  KIND_FILE,  /* char *, an output file; "-" is stdout */
  KIND_NAME,  /* char *, a name without '/' */
  KIND_WORD,  /* char *, one of the words in `argument`, such as "auto|always|never" */
  KIND_LIST,  /* struct strings, like the next three kinds; any word may be added */
  KIND_AXIS,
  KIND_TAG,
  KIND_SETTING,
  KIND_TIME,      /* double, seconds */
  KIND_SHARE,     /* double */
  KIND_PRECISION, /* double */
  KIND_SEED,      /* uint64_t */
  KIND_MODES,     /* struct strings */
  KIND_FEW,       /* uint32_t, 1 to 100 */
  KIND_MANY,      /* uint32_t, 1 to a million */
  KIND_BYTES,     /* double */
  KIND_SHARD,     /* struct shard, such as "2/4" */
  KIND_HELP,
  KIND_VERSION,
};

struct option_desc {
  const char *name;
  char letter;
  const char *argument; /* what the help calls the argument; NULL: the option takes none */
  enum kind kind;
  size_t offset; /* offset of the value in struct options */
  unsigned commands;
  const char *section;
  const char *usual; /* the default, as shown in help; NULL: there is none, or `help` says it */
  const char *help;
};

extern const struct option_desc option_table[];
extern const size_t option_count;

/* Returns true if, among the options of these commands, this option is the first in its section of the help. */
bool option_begins_section(size_t index, unsigned commands);

struct command_desc {
  const char *name;
  enum command command;
  unsigned bit;
  const char *arguments;
  const char *purpose; /* a sentence that says what the command does */
};
enum { COMMAND_COUNT = 9 };
extern const struct command_desc command_table[COMMAND_COUNT]; /* indexed by enum command */

/* A paragraph that the help of these commands shows below the options. */
struct note_desc {
  const char *heading;
  unsigned commands;
  const char *text;
};
extern const struct note_desc note_table[];
extern const size_t note_count;

/* Parses an option's argument; `text` is "" if the option takes none. Fails with exit code 2. */
int option_take(struct options *options, const struct option_desc *desc, const char *text, struct err *err);
