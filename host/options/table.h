/* The command line's table and what its entries are, shared by options/entries.c (the entries), options/values.c (their
 * values), options/parse.c (the words of a command line), options/parse.c, and docs (man page, completions). */
#ifndef OPTIONS_TABLE_H
#define OPTIONS_TABLE_H

#include "options/options.h"

/* Commands. */
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
/* Of options of `run`: written to run.ini where they are not at their defaults; of these KEPT ones hold for a resumed
 * run too, while NOTED ones stand in run.ini's selections. BESIDE: may be given beside --resume. */
enum { KEPT = 512, NOTED = 1024, BESIDE = 2048 };
/* Holds for all of a run that --jobs divides, as files to write do: its jobs are not given it. */
enum { WHOLE = 4096 };

enum kind {
  KIND_FLAG,  /* bool */
  KIND_COUNT, /* int, one more each time */
  KIND_TEXT,  /* char * */
  KIND_FILE,  /* char *, where a copy goes; "-" is stdout */
  KIND_NAME,  /* char *, a name without '/' */
  KIND_WORD,  /* char *, one of the argument's: "auto|always|never" */
  KIND_LIST,  /* struct strings; as the two below */
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
  KIND_SHARD,     /* struct shard, "2/4" */
  KIND_HELP,
  KIND_VERSION,
};

struct option_desc {
  const char *name;
  char letter;
  const char *argument; /* NULL: takes none */
  enum kind kind;
  size_t offset; /* into struct options */
  unsigned commands;
  const char *section;
  const char *usual; /* what holds where it is not given; NULL: nothing, or what the help says */
  const char *help;
};

extern const struct option_desc option_table[];
extern const size_t option_count;

/* Is it the first option of its section that any of these commands has? */
bool option_begins_section(size_t index, unsigned commands);

struct command_desc {
  const char *name;
  enum command command;
  unsigned bit;
  const char *arguments;
  const char *purpose; /* a sentence */
};
enum { COMMAND_COUNT = 9 };
extern const struct command_desc command_table[COMMAND_COUNT]; /* by enum command */

/* What stands below the options: of the commands that it is for. */
struct note_desc {
  const char *heading;
  unsigned commands;
  const char *text;
};
extern const struct note_desc note_table[];
extern const size_t note_count;

/* Takes an option's argument; "" where it has none. Exit 2 with what is wrong. */
int option_take(struct options *options, const struct option_desc *desc, const char *text, struct err *err);

#endif
