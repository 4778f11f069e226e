/* Parses the words of a command line, as the table of options describes them, and checks options against each other. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "options/options.h"
#include "options/table.h"

/* ---- Printing --help from the table ---- */

#ifndef GPUBENCH_VERSION
#define GPUBENCH_VERSION "unknown"
#endif

enum { WIDTH = 80, COLUMN = 26 /* where the help of an option begins */, NOTE_COLUMN = 12 };

static void print_usage(enum command command, FILE *out) {
  const struct command_desc *desc = &command_table[command];
  if (command == COMMAND_RUN) {
    fputs("gpubench " GPUBENCH_VERSION
          ": benchmark GPU kernels from plugins; verified, compared, with\nconfidence intervals\n\n"
          "  gpubench [run] PLUGIN... [options]       measure and write a report\n"
          "  gpubench list | report | compare | new | check | history | trend | doctor\n"
          "                                           see gpubench COMMAND --help\n",
          out);
    return;
  }
  fprintf(out, "gpubench %s%s%s [options]\n\n", desc->name, desc->arguments[0] != '\0' ? " " : "", desc->arguments);
  wrap_paragraph(out, desc->purpose, WIDTH, 0);
}

static void print_option_help(const struct option_desc *desc, FILE *out) {
  char left[COLUMN + 40], text[TEXT_SIZE + 8], letter[8] = "";
  if (desc->letter) snprintf(letter, sizeof letter, "-%c, ", desc->letter);
  int used = snprintf(left, sizeof left, "  %s--%s%s%s", letter, desc->name, desc->argument ? " " : "",
                      desc->argument ? desc->argument : "");
  fputs(left, out);
  if (used > COLUMN - 2) fputc('\n', out);
  fprintf(out, "%*s", used > COLUMN - 2 ? COLUMN : COLUMN - used, "");
  snprintf(text, sizeof text, "%s%s%s%s", desc->help, desc->usual != NULL ? " (default: " : "",
           desc->usual != NULL ? desc->usual : "", desc->usual != NULL ? ")" : "");
  wrap_paragraph(out, text, WIDTH, COLUMN);
}

static bool is_in_section(const struct option_desc *desc, const char *section, unsigned commands) {
  return (desc->commands & commands) != 0 && strcmp(desc->section, section) == 0;
}

bool option_begins_section(size_t index, unsigned commands) {
  const char *section = option_table[index].section;
  for (size_t i = 0; i < index; i++)
    if (is_in_section(&option_table[i], section, commands)) return false;
  return is_in_section(&option_table[index], section, commands);
}

static void print_section(size_t first, unsigned commands, FILE *out) {
  const char *section = option_table[first].section;
  fprintf(out, "\n%s\n", section);
  for (size_t i = first; i < option_count; i++)
    if (is_in_section(&option_table[i], section, commands)) print_option_help(&option_table[i], out);
}

void options_help(enum command command, FILE *out) {
  if (command > COMMAND_DOCTOR) command = COMMAND_RUN;
  print_usage(command, out);
  for (size_t i = 0; i < option_count; i++)
    if (option_begins_section(i, command_table[command].bit)) print_section(i, command_table[command].bit, out);
  fputc('\n', out);
  for (size_t i = 0; i < note_count; i++) {
    if ((note_table[i].commands & command_table[command].bit) == 0) continue;
    fprintf(out, "%-*s", NOTE_COLUMN, note_table[i].heading);
    wrap_paragraph(out, note_table[i].text, WIDTH, NOTE_COLUMN);
  }
}

enum { LONG_BASE = 256 };

/* ---- Converting the table for getopt_long() ---- */

struct getopt_tables {
  struct option longs[OPTIONS_MAX + 1];
  char shorts[3 + 2 * OPTIONS_MAX];
};

/* Returns true if `command` does not have the option, but has another option of the same name. The callers then skip
 * the option. */
static bool gives_way(size_t index, unsigned command) {
  for (size_t i = 0; (option_table[index].commands & command) == 0 && i < option_count; i++)
    if ((option_table[i].commands & command) != 0 && strcmp(option_table[i].name, option_table[index].name) == 0)
      return true;
  return false;
}

static void make_tables(struct getopt_tables *tables, unsigned command) {
  memset(tables, 0, sizeof *tables);
  struct option *next = tables->longs;
  char *s = tables->shorts;
  *s++ = '-'; /* '-' makes getopt_long() return every word in order, so that error messages can name the right word */
  *s++ = ':';
  for (size_t i = 0; i < option_count; i++) {
    if (gives_way(i, command)) continue;
    *next++ = (struct option){option_table[i].name, option_table[i].argument != NULL, NULL, LONG_BASE + (int)i};
    if (option_table[i].letter == 0) continue;
    *s++ = option_table[i].letter;
    if (option_table[i].argument != NULL) *s++ = ':';
  }
}

/* Returns the option whose full name is in `word` ("--name", "--name=value"), or NULL. */
static const struct option_desc *spelled(const char *word, unsigned command) {
  if (strncmp(word, "--", 2) != 0) return NULL;
  size_t length = strcspn(word + 2, "=");
  for (size_t i = 0; i < option_count; i++)
    if (!gives_way(i, command) && strlen(option_table[i].name) == length &&
        strncmp(option_table[i].name, word + 2, length) == 0)
      return &option_table[i];
  return NULL;
}

static const struct option_desc *by_code(int code) {
  if (code >= LONG_BASE && (size_t)code < LONG_BASE + option_count) return &option_table[code - LONG_BASE];
  for (size_t i = 0; i < option_count; i++)
    if (code != 0 && option_table[i].letter == code) return &option_table[i];
  return NULL;
}

/* Options that were renamed; reports/CHANGES.md lists them. */
static const struct { const char *former, *name; } renamed_options[] = {{"roofs", "ceilings"}};

static const char *present_option(const char *former) {
  for (size_t i = 0; i < sizeof renamed_options / sizeof renamed_options[0]; i++)
    if (strcmp(renamed_options[i].former, former) == 0) return renamed_options[i].name;
  return NULL;
}

static int unknown_option(const char *word, int letter, struct err *err) {
  if (strncmp(word, "--", 2) != 0) return err_set(err, EXIT_USAGE, "unknown option '-%c'", letter);
  char wanted[80];
  size_t length = strcspn(word + 2, "=");
  text_copy(wanted, length < sizeof wanted ? length + 1 : sizeof wanted, word + 2);
  const char *now = present_option(wanted);
  if (now != NULL) return err_set(err, EXIT_USAGE, "option '--%s' is called '--%s' now", wanted, now);
  const char *names[OPTIONS_MAX];
  for (size_t i = 0; i < option_count; i++)
    names[i] = option_table[i].name;
  const char *nearest = text_nearest(wanted, names, option_count);
  /* suggests an option that begins with the typed word rather than one that is merely similar */
  for (size_t i = 0; length >= 3 && i < option_count; i++)
    if (strncmp(names[i], wanted, length) == 0) nearest = names[i];
  if (nearest == NULL) return err_set(err, EXIT_USAGE, "unknown option '--%s'", wanted);
  return err_set(err, EXIT_USAGE, "unknown option '--%s'; nearest '--%s'", wanted, nearest);
}

static int bad_option(const char *word, int code, unsigned command, struct err *err) {
  const struct option_desc *desc = spelled(word, command);
  if (desc != NULL && desc->argument == NULL)
    return err_set(err, EXIT_USAGE, "--%s takes no argument: '%.200s'", desc->name, word);
  return unknown_option(word, code, err);
}

static const char *command_name(enum command command) {
  return command_table[command].name;
}

static void record_word(struct options *options, const struct option_desc *desc, const char *argument) {
  if ((desc->commands & WHOLE) != 0 || desc->kind == KIND_FILE) return;
  strings_print(&options->run.words, "--%s%s%s", desc->name, argument != NULL ? "=" : "", text_or_empty(argument));
}

static int option_found(struct options *options, const struct option_desc *desc, const char *word, const char *argument,
                        struct err *err) {
  unsigned command = command_table[options->command].bit;
  const struct option_desc *meant = strncmp(word, "--", 2) == 0 ? spelled(word, command) : desc;
  if (meant == NULL || meant != desc) return unknown_option(word, 0, err);
  if ((desc->commands & command) == 0)
    return err_set(err, EXIT_USAGE, "--%s does not apply to '%s'", desc->name, command_name(options->command));
  /* refuses "--variant --quick", which lacks the GLOB; "--variant=--quick" would give --quick as the GLOB */
  if (argument != NULL && strchr(word, '=') == NULL && spelled(argument, command) != NULL)
    return err_set(err, EXIT_USAGE, "--%s needs %s; '%.64s' is an option", desc->name, desc->argument, argument);
  options->given[desc - option_table] = true;
  record_word(options, desc, argument);
  return option_take(options, desc, argument != NULL ? argument : "", err);
}

/* Takes a word that is not an option as a plugin, as if it were given with --plugin. */
static int plugin_found(struct options *options, const char *word, struct err *err) {
  const struct option_desc *plugin = spelled("--plugin", command_table[options->command].bit);
  options->given[plugin - option_table] = true;
  record_word(options, plugin, word);
  return option_take(options, plugin, word, err);
}

static int word_found(struct options *options, const char *word, struct err *err) {
  if (word[0] == '\0') return err_set(err, EXIT_USAGE, "an argument of '%s' is empty", command_name(options->command));
  if (options->command == COMMAND_RUN || options->command == COMMAND_LIST || options->command == COMMAND_CHECK)
    return plugin_found(options, word, err);
  strings_add(&options->arguments, word);
  return 0;
}

static int parse_words(int argc, char **argv, struct options *options, struct err *err) {
  struct getopt_tables tables;
  make_tables(&tables, command_table[options->command].bit);
  opterr = 0;
  optind = 0; /* 0 makes glibc's getopt_long() begin anew, even if it was within a word */
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
      failed = bad_option(word, optopt, command_table[options->command].bit, err);
    else
      failed = option_found(options, desc, word, optarg, err);
    if (failed) return -1;
    if (options->command >= COMMAND_HELP) return 0;
  }
  for (int i = optind; i < argc; i++)
    if (word_found(options, argv[i], err)) return -1;
  return 0;
}

/* Returns the command that a word names; NULL if it names none, so that it is taken as a plugin to run. */
static const struct command_desc *find_command(const char *word) {
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(word, command_table[i].name) == 0) return &command_table[i];
  return NULL;
}

void options_no_command(const char *word, char *to, size_t size) {
  const char *names[COMMAND_COUNT];
  char all[2 * ID_SIZE];
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    names[i] = command_table[i].name;
  const char *nearest = text_nearest(word, names, COMMAND_COUNT);
  text_join(all, sizeof all, names, COMMAND_COUNT);
  snprintf(to, size, "'%.200s' is not a command (%s%s), so it is taken as a plugin", word,
           nearest != NULL ? "nearest " : "", nearest != NULL ? nearest : all);
}

/* Returns the file that an option names, or NULL. */
static const char *file_of(const struct options *options, size_t index) {
  if (option_table[index].kind != KIND_FILE) return NULL;
  return *(char *const *)((const char *)options + option_table[index].offset);
}

double options_timeout_s(const struct options *options) {
  return isnan(options->common.timeout_s) ? 120 : options->common.timeout_s;
}

bool options_is_edit(const struct options *options) {
  return options->run.quick && options->compare.against != NULL && options->common.verbosity == 0 &&
         !options->run.verify_only;
}

bool options_use_stdout(const struct options *options) {
  bool use = false;
  for (size_t i = 0; i < option_count; i++)
    use = use || (file_of(options, i) != NULL && strcmp(file_of(options, i), "-") == 0);
  return use;
}

int options_check_outputs(const struct options *options, struct err *err) {
  int rc = 0;
  for (size_t i = 0; i < option_count && rc == 0; i++) {
    rc = output_check(file_of(options, i), err);
    if (rc != 0) err_context(err, "--%s", option_table[i].name);
  }
  if (rc != 0) text_sanitize(err->text);
  return rc;
}

static int check_stdout(const struct options *options, struct err *err) {
  const struct option_desc *first = NULL;
  if (options->outputs.gh_benchmark != NULL && strcmp(options->outputs.gh_benchmark, "-") == 0)
    return err_set(err, EXIT_USAGE, "--gh-benchmark writes two files, so it cannot write to stdout");
  for (size_t i = 0; i < option_count; i++) {
    const char *file = file_of(options, i);
    if (file == NULL || strcmp(file, "-") != 0) continue;
    if (first != NULL)
      return err_set(err, EXIT_USAGE, "--%s - and --%s - would both write to stdout", first->name,
                     option_table[i].name);
    first = &option_table[i];
  }
  return 0;
}

static bool keeps_files(const struct options *options) {
  bool kept = options->outputs.out != NULL;
  for (size_t i = 0; i < option_count; i++)
    kept = kept || file_of(options, i) != NULL;
  return kept;
}

/* Refuses options about comparisons without a baseline run. Accepts them with --resume, because the resumed run may
 * have been given --against when it began. */
static int check_comparison(const struct options *options, struct err *err) {
  const struct options_compare *compare = &options->compare;
  bool judges = options->command == COMMAND_COMPARE || compare->against != NULL || options->run.resume != NULL;
  const char *useless = compare->fail_on != NULL     ? "--fail-on"
                        : !isnan(compare->threshold) ? "--threshold"
                        : compare->force             ? "--force"
                        : compare->allow_unjudged    ? "--allow-unjudged"
                                                     : NULL;
  if (options->run.profile && compare->against != NULL)
    return err_set(err, EXIT_USAGE, "--profile records nothing, so it does not go with --against");
  if (compare->allow_unjudged && compare->fail_on == NULL && options->run.resume == NULL)
    return err_set(err, EXIT_USAGE, "--allow-unjudged needs --fail-on");
  if (judges || useless == NULL) return 0;
  return err_set(err, EXIT_USAGE, "%s is for comparisons: it needs --against RUN", useless);
}

/* Refuses --shard together with options about comparisons. Comparisons concern the whole plan, so they are made with
 * the merged run. */
static int check_shard(const struct options *options, struct err *err) {
  const char *whole = options->compare.against != NULL      ? "--against"
                      : options->compare.foreigns.count > 0 ? "--foreign"
                                                            : NULL;
  if (options->run.shard.of == 0 || whole == NULL) return 0;
  return err_set(err, EXIT_USAGE,
                 "%s is for all cases, --shard %u/%u runs a part: give it to the `gpubench report` of all", whole,
                 options->run.shard.number, options->run.shard.of);
}

uint32_t options_jobs(const struct options *options) {
  struct err ignored = {0};
  uint32_t count = 1;
  if (options->run.jobs == NULL) return 1;
  if (strcmp(options->run.jobs, "all") == 0) return 0;
  return quantity_count("--jobs", options->run.jobs, JOBS_MAX, &count, &ignored) == 0 ? count : 1;
}

/* Checks --jobs. Accepts --shard beside it only in the form in which gpubench starts the jobs: with one shard more than
 * jobs, because the last shard has the cases that need the machine to themselves. */
static int check_jobs(const struct options *options, struct err *err) {
  const struct options_run *run = &options->run;
  struct err ignored = {0};
  uint32_t count = 0;
  if (run->jobs == NULL) return 0;
  if (strcmp(run->jobs, "all") != 0 && quantity_count("--jobs", run->jobs, JOBS_MAX, &count, &ignored) != 0)
    return err_set(err, EXIT_USAGE, "--jobs '%.64s' is neither all nor a number from 1 to %d", run->jobs, JOBS_MAX);
  const char *other = run->no_save      ? "--no-save"
                      : run->profile    ? "--profile"
                      : run->in_process ? "--in-process"
                      : run->resume     ? "--resume"
                                        : NULL;
  if (other != NULL) return err_set(err, EXIT_USAGE, "--jobs does not go with %s", other);
  if (run->shard.of > 0 && run->shard.of != count + 1)
    return err_set(err, EXIT_USAGE, "--jobs makes shards itself: it does not go with --shard");
  return 0;
}

/* Checks the words of `history`: the first is the action, the second the folder. */
static int check_history(const struct options *options, struct err *err) {
  const struct options_history *history = &options->history;
  enum { ANY = 1 << 30 };
  static const struct {
    const char *name, *needs;
    size_t least, most;
  } actions[] = {{"add", "a folder and runs: gpubench history add DIR RUN...", 3, ANY},
                 {"list", "one folder", 2, 2},
                 {"prune", "one folder", 2, 2},
                 {"rebuild", "one folder", 2, 2},
                 {"suspects", "one folder", 2, 2},
                 {"decide", "a folder, a night, and at most one run: gpubench history decide DIR NIGHT [RUN]", 3, 4}};
  const size_t count = options->arguments.count, known = sizeof actions / sizeof actions[0];
  const char *action = count > 0 ? options->arguments.items[0] : "";
  size_t i = 0;
  while (i < known && strcmp(actions[i].name, action) != 0)
    i++;
  if (i == known)
    return err_set(err, EXIT_USAGE, "history needs add, list, suspects, decide, prune or rebuild, not '%.64s'", action);
  if (count < actions[i].least || count > actions[i].most)
    return err_set(err, EXIT_USAGE, "history %s needs %s; %zu given", action, actions[i].needs, count - 1);
  if ((strcmp(action, "prune") == 0) != (history->keep > 0))
    return err_set(err, EXIT_USAGE,
                   history->keep == 0 ? "history prune needs --keep N" : "--keep is for history prune");
  if (history->decided != NULL && (i != 0 || count != 3))
    return err_set(err, EXIT_USAGE, "--decided is for history add with one run");
  if ((history->night != NULL || history->baseline != NULL) && strcmp(action, "suspects") != 0)
    return err_set(err, EXIT_USAGE, "--%s is for history suspects", history->night != NULL ? "night" : "baseline");
  return 0;
}

/* Checks combinations of options, as opposed to single values. */
static int check_together(const struct options *options, struct err *err) {
  if (options->command == COMMAND_RUN && options->cli.plugins.count == 0 && options->run.suites.count == 0 &&
      options->run.resume == NULL)
    return err_set(err, EXIT_USAGE,
                   "nothing to run: name a plugin (gpubench FILE.so) or a suite (--suite FILE.ini); see --help");
  if (options->command == COMMAND_CHECK && options->cli.plugins.count == 0)
    return err_set(err, EXIT_USAGE, "check needs a plugin: gpubench check FILE.so");
  if (options->command == COMMAND_REPORT && options->arguments.count == 0)
    return err_set(err, EXIT_USAGE, "report needs a run directory: gpubench report DIR");
  if (options->command == COMMAND_COMPARE && (options->arguments.count < 2 || options->arguments.count > COMPARE_MAX))
    return err_set(err, EXIT_USAGE, "compare needs a base and 1 to %d runs: gpubench compare BASE NEW..., not %zu",
                   COMPARE_MAX - 1, options->arguments.count);
  if (options->command == COMMAND_NEW && options->arguments.count != 1)
    return err_set(err, EXIT_USAGE, "new needs one name: gpubench new NAME, not %zu", options->arguments.count);
  if (options->command == COMMAND_TREND && options->arguments.count != 1)
    return err_set(err, EXIT_USAGE, "trend needs one history folder: gpubench trend DIR, not %zu",
                   options->arguments.count);
  if (options->command == COMMAND_DOCTOR && options->arguments.count > 0)
    return err_set(err, EXIT_USAGE, "doctor looks at this machine: it takes no '%.200s'", options->arguments.items[0]);
  if (options->command == COMMAND_DOCTOR && !options->doctor.deep &&
      (options->doctor.history != NULL || strcmp(options->common.device, "auto") != 0))
    return err_set(err, EXIT_USAGE, "--%s needs --deep", options->doctor.history != NULL ? "history" : "device");
  if (options->command == COMMAND_HISTORY && check_history(options, err) != 0) return -1;
  if (options->common.quiet && options->common.verbosity > 0)
    return err_set(err, EXIT_USAGE, "-q and -v contradict each other");
  bool kept = keeps_files(options);
  if (options->run.profile && (kept || options->run.quick || options->run.verify_only))
    return err_set(err, EXIT_USAGE, "--profile records nothing, so it does not go with %s",
                   kept                 ? "--out or a file to write"
                   : options->run.quick ? "--quick"
                                        : "--verify-only");
  if (options->run.isolate && options->run.in_process)
    return err_set(err, EXIT_USAGE,
                   "--isolate keeps plugins in processes of their own: it does not go with --in-process");
  if (options->run.no_save && options->outputs.out != NULL)
    return err_set(err, EXIT_USAGE, "--no-save and --out '%.200s' contradict each other", options->outputs.out);
  if (check_jobs(options, err) != 0) return -1;
  if (check_shard(options, err) != 0 || check_comparison(options, err) != 0) return -1;
  return check_stdout(options, err);
}

static void set_defaults(struct options *options) {
  *options = (struct options){.command = COMMAND_RUN,
                              .common = {.timeout_s = NAN, .seed = 1},
                              .run = {.leak_bytes = 10e6, .energy_time_s = 5},
                              .compare = {.threshold = NAN}};
  selection_init(&options->cli, "command line");
  options->common.device = xstrdup("auto");
  options->common.color = xstrdup("auto");
  options->outputs.assets = xstrdup("inline");
  options->new.lang = xstrdup("c");
}

int options_parse(int argc, char **argv, struct options *options, struct err *err) {
  set_defaults(options);
  const struct command_desc *command = argc > 1 ? find_command(argv[1]) : NULL;
  if (command != NULL) {
    options->command = command->command;
    argc--;
    argv++;
  } else if (argc > 1 && argv[1][0] != '-') {
    options->no_command = argv[1];
  }
  int failed = argc > 1 ? parse_words(argc, argv, options, err) : 0;
  if (!failed) failed = check_together(options, err);
  if (failed) text_sanitize(err->text);
  return failed;
}

void options_free(struct options *options) {
  selection_free(&options->cli);
  strings_free(&options->run.suites);
  strings_free(&options->arguments);
  strings_free(&options->run.tags);
  strings_free(&options->compare.foreigns);
  strings_free(&options->run.words);
  for (size_t i = 0; i < option_count; i++) {
    const enum kind kind = option_table[i].kind;
    if (kind != KIND_TEXT && kind != KIND_WORD && kind != KIND_NAME && kind != KIND_FILE) continue;
    char **text = (char **)((char *)options + option_table[i].offset);
    free(*text);
    *text = NULL; /* options of two commands may store their value in the same member, which must not be freed twice */
  }
  *options = (struct options){0};
}
