/* The command line from one table: parsing, --help and the nearest-name message. Knows what an option is, not what it
 * does. */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantity.h"

#ifndef GPUBENCH_VERSION
#define GPUBENCH_VERSION "unknown"
#endif

enum { RUN = 1, LIST = 2, REPORT = 4, ALL = RUN | LIST | REPORT };

enum kind {
  KIND_FLAG,  /* bool */
  KIND_COUNT, /* int, one more each time */
  KIND_TEXT,  /* char * */
  KIND_NAME,  /* char *, a name without '/' */
  KIND_COLOR, /* char * */
  KIND_LIST,  /* struct strings; as the two below */
  KIND_AXIS,
  KIND_TAG,
  KIND_TIME,  /* double, seconds */
  KIND_SHARE, /* double */
  KIND_SEED,  /* uint64_t */
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
  const char *section, *help;
};

#define AT(member) offsetof(struct options, member)
#define WHAT "What to run"
#define COMPARE "How to compare"
#define MEASURE "How to measure"
#define KEEP "What to keep"
#define OUTPUT "Output"

static const struct option_desc table[] = {
    {"plugin", 0, "FILE", KIND_LIST, AT(cli.plugins), RUN | LIST, WHAT, ".so file or bare name; repeatable"},
    {"suite", 0, "FILE.ini", KIND_LIST, AT(suites), RUN, WHAT, "a stored selection; any run.ini is one; repeatable"},
    {"bench", 0, "GLOB", KIND_LIST, AT(cli.benches), RUN, WHAT, "keep benches that match: NAME or PLUGIN/NAME"},
    {"variant", 0, "GLOB", KIND_LIST, AT(cli.variants), RUN, WHAT, "keep variants that match; several: a,b"},
    {"exclude", 0, "GLOB", KIND_LIST, AT(cli.excludes), RUN, WHAT, "drop variants that match"},
    {"preset", 0, "GLOB", KIND_LIST, AT(cli.presets), RUN, WHAT, "these presets instead of the default cases"},
    {"case", 0, "KEY", KIND_LIST, AT(cli.cases), RUN, WHAT,
     "exactly one case, as printed in reports, or BENCH[preset=NAME]"},
    {"axis", 'a', "NAME=VALUES", KIND_AXIS, AT(cli.axes), RUN, WHAT,
     "1,2,3   1k:16k:x2   0:100:10   NAME[pow2]=10:20:2   BENCH.NAME=..."},
    {"device", 0, "DEV", KIND_TEXT, AT(device), RUN | LIST, WHAT, "auto | cpu | cuda | cuda:N | GPU-uuid"},
    {"baseline", 0, "VARIANT", KIND_TEXT, AT(cli.baseline), RUN, COMPARE, "denominator of speedups"},
    {"precision", 0, "0.5%", KIND_SHARE, AT(cli.precision), RUN, MEASURE, "stop when the interval is this narrow"},
    {"case-time", 0, "TIME", KIND_TIME, AT(cli.case_time_s), RUN, MEASURE, "limit per case: 30, 30s, 2m, 500ms"},
    {"max-time", 0, "TIME", KIND_TIME, AT(cli.max_time_s), RUN, MEASURE, "limit for the run"},
    {"timeout", 0, "TIME", KIND_TIME, AT(timeout_s), RUN, MEASURE, "limit per callback, default 120"},
    {"quick", 0, NULL, KIND_FLAG, AT(quick), RUN, MEASURE, "a look: 5%, marked as such"},
    {"verify-only", 0, NULL, KIND_FLAG, AT(verify_only), RUN, MEASURE, "check results, time nothing"},
    {"profile", 0, NULL, KIND_FLAG, AT(profile), RUN, MEASURE,
     "for ncu, nsys, sanitizers: one launch, nothing recorded"},
    {"dry-run", 0, NULL, KIND_FLAG, AT(dry_run), RUN, MEASURE, "show cases and time estimate, run nothing"},
    {"require", 0, "GLOB", KIND_LIST, AT(cli.requires), RUN, MEASURE, "a skip of these variants is a failure"},
    {"seed", 0, "N", KIND_SEED, AT(seed), RUN, MEASURE, "of the data, default 1"},
    {"name", 0, "NAME", KIND_NAME, AT(name), RUN, KEEP, "for finding the run later"},
    {"tag", 0, "K=V", KIND_TAG, AT(tags), RUN, KEEP, "likewise; repeatable"},
    {"out", 0, "DIR", KIND_TEXT, AT(out), RUN, KEEP, "default gpubench-out/TIME-NAME  ($GPUBENCH_OUT)"},
    {"csv", 0, "F", KIND_TEXT, AT(csv), RUN | REPORT, KEEP, "extra copy of the results; - is stdout"},
    {"html", 0, "F", KIND_TEXT, AT(html), RUN | REPORT, KEEP, "extra copy of the report; - is stdout"},
    {"no-save", 0, NULL, KIND_FLAG, AT(no_save), RUN, KEEP, "keep nothing else"},
    {"json", 0, NULL, KIND_FLAG, AT(json), LIST, OUTPUT, "the list as JSON"},
    {"quiet", 'q', NULL, KIND_FLAG, AT(quiet), ALL, OUTPUT, "results and errors only"},
    {"verbose", 'v', NULL, KIND_COUNT, AT(verbosity), ALL, OUTPUT, "more about what happens"},
    {"color", 0, "WHEN", KIND_COLOR, AT(color), ALL, OUTPUT, "auto | always | never"},
    {"help", 'h', NULL, KIND_HELP, 0, ALL, OUTPUT, "this text; after a command, its own"},
    {"version", 0, NULL, KIND_VERSION, 0, ALL, OUTPUT, "the release"},
};
enum { TABLE_COUNT = sizeof table / sizeof table[0], LONG_BASE = 256 };

static const struct {
  const char *name;
  enum command command;
  unsigned bit;
} commands[] = {{"run", COMMAND_RUN, RUN}, {"list", COMMAND_LIST, LIST}, {"report", COMMAND_REPORT, REPORT}};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* ---- Values ---- */

static void *member(struct options *options, const struct option_desc *desc) {
  return (char *)options + desc->offset;
}

static void set_text(char **to, const char *text) {
  free(*to);
  *to = xstrdup(text);
}

static int take_name(char **to, const char *what, const char *text, struct err *err) {
  if (!text_is_id(text) || strchr(text, '/') != NULL)
    return err_set(err, EXIT_USAGE, "%s '%.80s': letters, digits, '.', '_' and '-', at most %d", what, text,
                   ID_SIZE - 1);
  set_text(to, text);
  return 0;
}

static int take_color(char **to, const char *what, const char *text, struct err *err) {
  static const char *const when[] = {"auto", "always", "never"};
  for (size_t i = 0; i < 3; i++) {
    if (strcmp(text, when[i]) != 0) continue;
    set_text(to, text);
    return 0;
  }
  return err_set(err, EXIT_USAGE, "%s '%.64s' is not auto, always or never", what, text);
}

static int take_axis(struct strings *list, const char *what, const char *text, struct err *err) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0')
    return err_set(err, EXIT_USAGE, "%s '%.200s' is not NAME=VALUES", what, text);
  strings_add(list, text);
  return 0;
}

static int take_tag(struct strings *tags, const char *what, const char *text, struct err *err) {
  char key[ID_SIZE + 1];
  size_t length = strcspn(text, "=");
  text_copy(key, length < sizeof key ? length + 1 : sizeof key, text);
  if (text[length] == '\0' || !text_is_id(key))
    return err_set(err, EXIT_USAGE, "%s '%.200s' is not K=V with a name for K", what, text);
  for (size_t i = 0; i < tags->count; i++)
    if (strncmp(tags->items[i], text, length + 1) == 0)
      return err_set(err, EXIT_USAGE, "%s '%s' is given twice: '%.200s' and '%.200s'", what, key,
                     tags->items[i] + length + 1, text + length + 1);
  strings_add(tags, text);
  return 0;
}

static int take(struct options *options, const struct option_desc *desc, const char *text, struct err *err) {
  char what[ID_SIZE];
  void *to = member(options, desc);
  snprintf(what, sizeof what, "--%s", desc->name);
  if (desc->argument != NULL && text[0] == '\0')
    return err_set(err, EXIT_USAGE, "%s needs %s; it is empty", what, desc->argument);
  switch (desc->kind) {
    case KIND_FLAG:
      *(bool *)to = true;
      return 0;
    case KIND_COUNT:
      ++*(int *)to;
      return 0;
    case KIND_TEXT:
      set_text(to, text);
      return 0;
    case KIND_NAME:
      return take_name(to, what, text, err);
    case KIND_COLOR:
      return take_color(to, what, text, err);
    case KIND_LIST:
      strings_add(to, text);
      return 0;
    case KIND_AXIS:
      return take_axis(to, desc->letter ? "-a" : what, text, err);
    case KIND_TAG:
      return take_tag(to, what, text, err);
    case KIND_TIME:
      return quantity_time(what, text, to, err);
    case KIND_SHARE:
      return quantity_share(what, text, to, err);
    case KIND_SEED:
      return quantity_seed(what, text, to, err);
    case KIND_HELP:
      options->about = options->command;
      options->command = COMMAND_HELP;
      return 0;
    case KIND_VERSION:
      options->command = COMMAND_VERSION;
      return 0;
  }
  return -1;
}

/* ---- The command line as getopt_long() sees it ---- */

struct getopt_tables {
  struct option longs[TABLE_COUNT + 1];
  char shorts[3 + 2 * TABLE_COUNT];
};

static void make_tables(struct getopt_tables *tables) {
  memset(tables, 0, sizeof *tables);
  char *s = tables->shorts;
  *s++ = '-'; /* every word in its order: so it is known which word an error is about */
  *s++ = ':';
  for (int i = 0; i < TABLE_COUNT; i++) {
    tables->longs[i] = (struct option){table[i].name, table[i].argument != NULL, NULL, LONG_BASE + i};
    if (table[i].letter == 0) continue;
    *s++ = table[i].letter;
    if (table[i].argument != NULL) *s++ = ':';
  }
}

/* The option that `word` ("--name", "--name=value") spells out in full. */
static const struct option_desc *spelled(const char *word) {
  if (strncmp(word, "--", 2) != 0) return NULL;
  size_t length = strcspn(word + 2, "=");
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (strlen(table[i].name) == length && strncmp(table[i].name, word + 2, length) == 0) return &table[i];
  return NULL;
}

static const struct option_desc *by_code(int code) {
  if (code >= LONG_BASE && code < LONG_BASE + TABLE_COUNT) return &table[code - LONG_BASE];
  for (size_t i = 0; i < TABLE_COUNT; i++)
    if (code != 0 && table[i].letter == code) return &table[i];
  return NULL;
}

static int unknown_option(const char *word, int letter, struct err *err) {
  if (strncmp(word, "--", 2) != 0) return err_set(err, EXIT_USAGE, "unknown option '-%c'", letter);
  char wanted[80];
  size_t length = strcspn(word + 2, "=");
  text_copy(wanted, length < sizeof wanted ? length + 1 : sizeof wanted, word + 2);
  const char *names[TABLE_COUNT];
  for (size_t i = 0; i < TABLE_COUNT; i++)
    names[i] = table[i].name;
  const char *nearest = text_nearest(wanted, names, TABLE_COUNT);
  for (size_t i = 0; length >= 3 && i < TABLE_COUNT;
       i++) /* a name cut short means that name, however much is missing */
    if (strncmp(names[i], wanted, length) == 0) nearest = names[i];
  if (nearest == NULL) return err_set(err, EXIT_USAGE, "unknown option '--%s'", wanted);
  return err_set(err, EXIT_USAGE, "unknown option '--%s'; nearest '--%s'", wanted, nearest);
}

static int bad_option(const char *word, int code, struct err *err) {
  const struct option_desc *desc = spelled(word);
  if (desc != NULL && desc->argument == NULL)
    return err_set(err, EXIT_USAGE, "--%s takes no argument: '%.200s'", desc->name, word);
  return unknown_option(word, code, err);
}

static const char *command_name(enum command command) {
  return commands[command].name;
}

static int option_found(struct options *options, const struct option_desc *desc, const char *word, const char *argument,
                        struct err *err) {
  if (strncmp(word, "--", 2) == 0 && spelled(word) != desc) return unknown_option(word, 0, err);
  if ((desc->commands & commands[options->command].bit) == 0)
    return err_set(err, EXIT_USAGE, "--%s does not apply to '%s'", desc->name, command_name(options->command));
  /* "--variant --quick" forgot the GLOB; "--variant=--quick" meant it. */
  if (argument != NULL && strchr(word, '=') == NULL && spelled(argument) != NULL)
    return err_set(err, EXIT_USAGE, "--%s needs %s; '%.64s' is an option", desc->name, desc->argument, argument);
  return take(options, desc, argument != NULL ? argument : "", err);
}

static int word_found(struct options *options, const char *word, struct err *err) {
  if (options->command == COMMAND_RUN) {
    return err_set(err, EXIT_USAGE, "unexpected argument '%.200s'; plugins are given with --plugin", word);
  }
  if (word[0] == '\0') return err_set(err, EXIT_USAGE, "an argument of '%s' is empty", command_name(options->command));
  strings_add(options->command == COMMAND_LIST ? &options->cli.plugins : &options->arguments, word);
  return 0;
}

static int parse_words(int argc, char **argv, struct options *options, struct err *err) {
  struct getopt_tables tables;
  make_tables(&tables);
  opterr = 0;
  optind = 0; /* glibc: begin anew, also inside a former word */
  for (;;) {
    int at = optind > 0 ? optind : 1;
    int code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
    if (code == -1) break;
    const char *word = argv[at];
    const struct option_desc *desc = by_code(code == ':' ? optopt : code);
    int failed;
    if (code == ':' && desc != NULL)
      failed = err_set(err, EXIT_USAGE, "--%s needs %s", desc->name, desc->argument);
    else if (code == 1)
      failed = word_found(options, optarg, err);
    else if (desc == NULL)
      failed = bad_option(word, optopt, err);
    else
      failed = option_found(options, desc, word, optarg, err);
    if (failed) return -1;
    if (options->command >= COMMAND_HELP) return 0;
  }
  for (int i = optind; i < argc; i++)
    if (word_found(options, argv[i], err)) return -1;
  return 0;
}

static int find_command(const char *word, enum command *command, struct err *err) {
  const char *names[COMMAND_COUNT];
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    names[i] = commands[i].name;
    if (strcmp(word, names[i]) == 0) {
      *command = commands[i].command;
      return 0;
    }
  }
  const char *nearest = text_nearest(word, names, COMMAND_COUNT);
  if (strstr(word, ".so") != NULL || strchr(word, '/') != NULL)
    return err_set(err, EXIT_USAGE, "unknown command '%.200s'; to measure a plugin: --plugin %.200s", word, word);
  if (nearest == NULL) return err_set(err, EXIT_USAGE, "unknown command '%.200s'; there are run, list, report", word);
  return err_set(err, EXIT_USAGE, "unknown command '%.200s'; nearest '%s'", word, nearest);
}

/* What no single option can tell. */
static int check_together(const struct options *options, struct err *err) {
  if (options->command == COMMAND_RUN && options->cli.plugins.count == 0 && options->suites.count == 0)
    return err_set(err, EXIT_USAGE,
                   "nothing to run: name a plugin (--plugin FILE) or a suite (--suite FILE.ini); see --help");
  if (options->command == COMMAND_REPORT && options->arguments.count == 0)
    return err_set(err, EXIT_USAGE, "report needs a run directory: gpubench report DIR");
  if (options->command == COMMAND_REPORT && options->arguments.count > 1)
    return err_set(err, EXIT_USAGE, "report takes one run directory, not '%.200s' and '%.200s'",
                   options->arguments.items[0], options->arguments.items[1]);
  if (options->quiet && options->verbosity > 0) return err_set(err, EXIT_USAGE, "-q and -v contradict each other");
  bool kept = options->out != NULL || options->csv != NULL || options->html != NULL;
  if (options->profile && (kept || options->quick || options->verify_only))
    return err_set(err, EXIT_USAGE, "--profile records nothing: %s beside it has no meaning",
                   kept             ? "--out, --csv or --html"
                   : options->quick ? "--quick"
                                    : "--verify-only");
  if (options->no_save && options->out != NULL)
    return err_set(err, EXIT_USAGE, "--no-save and --out '%.200s' contradict each other", options->out);
  if (options->csv != NULL && options->html != NULL && strcmp(options->csv, "-") == 0 &&
      strcmp(options->html, "-") == 0)
    return err_set(err, EXIT_USAGE, "--csv - and --html - would both write to stdout");
  return 0;
}

static void set_defaults(struct options *options) {
  *options = (struct options){.command = COMMAND_RUN, .timeout_s = 120, .seed = 1};
  selection_init(&options->cli, "command line");
  options->device = xstrdup("auto");
  options->color = xstrdup("auto");
}

int options_parse(int argc, char **argv, struct options *options, struct err *err) {
  set_defaults(options);
  int failed = 0;
  if (argc > 1 && argv[1][0] != '-') {
    failed = find_command(argv[1], &options->command, err);
    argc--;
    argv++;
  }
  if (!failed && argc > 1) failed = parse_words(argc, argv, options, err);
  if (!failed) failed = check_together(options, err);
  if (failed) text_sanitize(err->text);
  return failed;
}

void options_free(struct options *options) {
  selection_free(&options->cli);
  strings_free(&options->suites);
  strings_free(&options->arguments);
  strings_free(&options->tags);
  char *texts[] = {options->device, options->name, options->out, options->csv, options->html, options->color};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    free(texts[i]);
  *options = (struct options){0};
}

/* ---- Help ---- */

static void print_usage(enum command command, FILE *out) {
  switch (command) {
    case COMMAND_LIST:
      fputs("gpubench list [PLUGIN...] [options]        plugins, benches, variants, axes, presets, devices\n", out);
      return;
    case COMMAND_REPORT:
      fputs("gpubench report DIR [options]              write the report of a run directory again\n", out);
      return;
    case COMMAND_RUN:
    case COMMAND_HELP:
    case COMMAND_VERSION:
      fputs("gpubench " GPUBENCH_VERSION
            ": benchmark GPU kernels from plugins; verified, compared, with intervals\n\n"
            "  gpubench [run] --plugin FILE [options]     measure, write a report (default command)\n"
            "  gpubench list | report                     COMMAND --help\n",
            out);
      return;
  }
}

static void print_option(const struct option_desc *desc, FILE *out) {
  char left[80], letter[8] = "";
  if (desc->letter) snprintf(letter, sizeof letter, "-%c, ", desc->letter);
  snprintf(left, sizeof left, "%s--%s%s%s", letter, desc->name, desc->argument ? " " : "",
           desc->argument ? desc->argument : "");
  fprintf(out, "  %-24s %s\n", left, desc->help);
}

void options_help(enum command command, FILE *out) {
  if (command > COMMAND_REPORT) command = COMMAND_RUN;
  print_usage(command, out);
  const char *section = "";
  for (size_t i = 0; i < TABLE_COUNT; i++) {
    if ((table[i].commands & commands[command].bit) == 0) continue;
    if (strcmp(table[i].section, section) != 0) fprintf(out, "\n%s\n", table[i].section);
    section = table[i].section;
    print_option(&table[i], out);
  }
  fputs(
      "\nExit       0 ok  1 confident regression  2 usage  3 wrong/crashed/refused\n"
      "           4 device unusable  130/143 interrupted\n",
      out);
  if (command == COMMAND_RUN)
    fputs("Example    gpubench --plugin attention.so --plugin ./mine.so --baseline flash\n", out);
}
