/* Tests the command line: every option and every refusal. */
#include "options/options.h"

#include <stdlib.h>
#include <string.h>

#include "options/table.h"
#include "unit.h"

enum { WORDS_MAX = 32 };

static struct options options;
static struct err error;

/* Parses a command line, split at single spaces; its first word is the program. */
static int parse(const char *line) {
  char copy[2048], *words[WORDS_MAX + 1] = {NULL};
  int count = 0;
  options_free(&options);
  error = (struct err){0};
  text_copy(copy, sizeof copy, line);
  char *rest = copy;
  for (char *word; (word = strsep(&rest, " ")) != NULL && count < WORDS_MAX;)
    words[count++] = word;
  return options_parse(count, words, &options, &error);
}

static void refused(const char *line, const char *message) {
  int rc = parse(line);
  ASSERT_EQ_INT(rc, -1);
  ASSERT_EQ_INT(error.exit_code, 2);
  ASSERT_EQ_STR(error.text, message);
}

static void takes_every_option(void) {
  ASSERT_EQ_INT(parse("gpubench run --plugin a.so --plugin b.so --suite s.ini --bench x --variant v,w --exclude e "
                      "--preset p --case k[a=1] -a m=1,2 --axis n[pow2]=1:3 --device cuda:1 --baseline flash"),
                0);
  ASSERT_EQ_INT(options.command, COMMAND_RUN);
  ASSERT_EQ_INT(options.cli.plugins.count, 2);
  ASSERT_EQ_STR(options.cli.plugins.items[1], "b.so");
  ASSERT_EQ_STR(options.run.suites.items[0], "s.ini");
  ASSERT_EQ_STR(options.cli.variants.items[0], "v,w");
  ASSERT_EQ_STR(options.cli.axes.items[1], "n[pow2]=1:3");
  ASSERT_EQ_STR(options.cli.cases.items[0], "k[a=1]");
  ASSERT_EQ_STR(options.common.device, "cuda:1");
  ASSERT_EQ_STR(options.cli.baselines.items[0], "flash");
  ASSERT_EQ_INT(parse("gpubench --plugin=a --precision 1% --case-time 500ms --max-time 2m --timeout 7 --quick "
                      "--verify-only --dry-run --require f* --seed 18446744073709551615 --name n.1 --tag os=a=b"),
                0);
  ASSERT_NEAR(options.cli.precision, 0.01, 1e-12);
  ASSERT_NEAR(options.cli.case_time_s, 0.5, 1e-12);
  ASSERT_NEAR(options.cli.max_time_s, 120, 0);
  ASSERT_NEAR(options.common.timeout_s, 7, 0);
  ASSERT_TRUE(options.run.quick && options.run.verify_only && options.run.dry_run && !options.run.no_save);
  ASSERT_TRUE(options.common.seed == UINT64_MAX);
  ASSERT_EQ_STR(options.run.tags.items[0], "os=a=b");
  ASSERT_EQ_INT(parse("gpubench --plugin a --out d --csv - --html r.html -q --color never"), 0);
  ASSERT_TRUE(options.common.quiet);
  ASSERT_EQ_STR(options.common.color, "never");
  ASSERT_EQ_INT(parse("gpubench --plugin a --no-save -vv"), 0);
  ASSERT_EQ_INT(options.common.verbosity, 2);
}

static void has_defaults(void) {
  ASSERT_EQ_INT(parse("gpubench --plugin a"), 0);
  ASSERT_EQ_STR(options.common.device, "auto");
  ASSERT_EQ_STR(options.common.color, "auto");
  ASSERT_NEAR(options_timeout_s(&options), 120, 0);
  ASSERT_EQ_INT(options.common.seed, 1);
  ASSERT_TRUE(isnan(options.cli.precision) && isnan(options.cli.case_time_s) && isnan(options.cli.max_time_s));
  ASSERT_EQ_STR(options.cli.origin, "command line");
}

static void knows_its_commands(void) {
  ASSERT_EQ_INT(parse("gpubench list attention --plugin ./mine.so --device cpu --json"), 0);
  ASSERT_EQ_INT(options.command, COMMAND_LIST);
  ASSERT_EQ_INT(options.cli.plugins.count, 2);
  ASSERT_TRUE(options.list.json);
  ASSERT_EQ_INT(parse("gpubench list"), 0);
  ASSERT_EQ_INT(parse("gpubench report out/1 --html r.html --csv c.csv"), 0);
  ASSERT_EQ_INT(options.command, COMMAND_REPORT);
  ASSERT_EQ_STR(options.arguments.items[0], "out/1");
  ASSERT_EQ_INT(parse("gpubench report a b --json - --junit j.xml --gh-benchmark b.json"), 0);
  ASSERT_EQ_INT(options.arguments.count, 2);
  ASSERT_EQ_STR(options.outputs.json, "-");
  ASSERT_EQ_STR(options.outputs.junit, "j.xml");
  ASSERT_TRUE(!options.list.json && options_use_stdout(&options));
  ASSERT_EQ_INT(parse("gpubench report a --csv c.csv"), 0);
  ASSERT_TRUE(!options_use_stdout(&options));
  ASSERT_EQ_INT(parse("gpubench list --json a"), 0); /* this command's --json takes no argument */
  ASSERT_EQ_STR(options.cli.plugins.items[0], "a");
  refused("gpubench list --json=a", "--json takes no argument: '--json=a'");
  refused("gpubench report a --json", "--json needs FILE");
  refused("gpubench report a --json --quiet", "--json needs FILE; '--quiet' is an option");
  refused("gpubench report a --markdown - --openmetrics -",
          "--markdown - and --openmetrics - would both write to stdout");
  refused("gpubench report a --gh-benchmark -", "--gh-benchmark writes two files, so it cannot write to stdout");
  refused("gpubench --plugin a --profile --junit j.xml",
          "--profile records nothing, so it does not go with --out or a file to write");
  ASSERT_EQ_INT(parse("gpubench report -- --odd"), 0);
  ASSERT_EQ_STR(options.arguments.items[0], "--odd");
  refused("gpubench report", "report needs a run directory: gpubench report DIR");
  refused("gpubench list --precision 1%", "--precision does not apply to 'list'");
  refused("gpubench report x --seed 1", "--seed does not apply to 'report'");
}

/* A word that is no command names a plugin to run; whether it exists is not checked here. */
static void takes_plugins_as_words(void) {
  static const char *const lines[] = {"gpubench a.so b=./b.so --quick", "gpubench run a.so --quick b=./b.so",
                                      "gpubench --quick a.so b=./b.so", "gpubench --plugin a.so --quick -- b=./b.so",
                                      "gpubench a.so --plugin b=./b.so --quick"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    ASSERT_EQ_INT(parse(lines[i]), 0);
    ASSERT_EQ_INT(options.command, COMMAND_RUN);
    ASSERT_TRUE(options.run.quick);
    ASSERT_EQ_INT(options.cli.plugins.count, 2);
    ASSERT_EQ_STR(options.cli.plugins.items[0], "a.so");
    ASSERT_EQ_STR(options.cli.plugins.items[1], "b=./b.so");
    ASSERT_TRUE((options.no_command != NULL) == (i == 0 || i == 4));
  }
  ASSERT_EQ_INT(parse("gpubench list --json a b"), 0);
  ASSERT_TRUE(options.no_command == NULL);
  refused("gpubench run ", "an argument of 'run' is empty");
  refused("gpubench lits --json", "--json needs FILE");
  ASSERT_EQ_STR(options.no_command, "lits");
}

static void needs_something_to_run(void) {
  const char *hint = "nothing to run: name a plugin (gpubench FILE.so) or a suite (--suite FILE.ini); see --help";
  refused("gpubench", hint);
  refused("gpubench run", hint);
  refused("gpubench --quick", hint);
  struct err err = {0};
  struct options none;
  ASSERT_EQ_INT(options_parse(0, NULL, &none, &err), -1);
  ASSERT_EQ_INT(err.exit_code, 2);
  options_free(&none);
}

static void names_the_nearest_option(void) {
  refused("gpubench --presision 1%", "unknown option '--presision'; nearest '--precision'");
  refused("gpubench --presision=1%", "unknown option '--presision'; nearest '--precision'");
  refused("gpubench --zzzzzzzzzz", "unknown option '--zzzzzzzzzz'");
  /* Abbreviations would break scripts when a longer name is added. */
  refused("gpubench --plugin a --var x", "unknown option '--var'; nearest '--variant'");
  refused("gpubench --plugin a --profile --quick", "--profile records nothing, so it does not go with --quick");
  refused("gpubench --plugin a --profile --out d",
          "--profile records nothing, so it does not go with --out or a file to write");
  refused("gpubench --plugin a --verify", "unknown option '--verify'; nearest '--verify-only'");
  refused("gpubench --plugin a -x", "unknown option '-x'");
  refused("gpubench --plugin a -qx", "unknown option '-x'");
  refused("gpubench --plugin a -a", "--axis needs NAME=VALUES");
  refused("gpubench --plugin", "--plugin needs [LABEL=]FILE");
  refused("gpubench --plugin=", "--plugin needs [LABEL=]FILE; it is empty");
  refused("gpubench --plugin a --quick=yes", "--quick takes no argument: '--quick=yes'");
  refused("gpubench --plugin a --variant --quick", "--variant needs GLOB; '--quick' is an option");
  ASSERT_EQ_INT(parse("gpubench --plugin a --variant=--quick"), 0);
}

static void checks_numbers(void) {
  refused("gpubench --precision 0.5x", "--precision '0.5x' is not a share; write 0.5% or 0.005");
  refused("gpubench --precision nan", "--precision 'nan' is not a share; write 0.5% or 0.005");
  refused("gpubench --precision inf%", "--precision 'inf%' is not a share; write 0.5% or 0.005");
  refused("gpubench --precision 0x1p-8", "--precision '0x1p-8' is not a share; write 0.5% or 0.005");
  refused("gpubench --precision 0.5", "--precision '0.5' is 50%, out of range: 0.001% to 20%");
  refused("gpubench --precision -1%", "--precision '-1%' is -1%, out of range: 0.001% to 20%");
  refused("gpubench --precision 0.0001%", "--precision '0.0001%' is 0.0001%, out of range: 0.001% to 20%");
  refused("gpubench --timeout 5x", "--timeout '5x' is not a time; write 30, 30s, 2m or 500ms");
  refused("gpubench --timeout s", "--timeout 's' is not a time; write 30, 30s, 2m or 500ms");
}

static void checks_ranges(void) {
  refused("gpubench --timeout 0", "--timeout '0' is out of range: 1ms to 168h");
  refused("gpubench --timeout -3", "--timeout '-3' is out of range: 1ms to 168h");
  refused("gpubench --max-time 169h", "--max-time '169h' is out of range: 1ms to 168h");
  refused("gpubench --max-time 1e400", "--max-time '1e400' is not a time; write 30, 30s, 2m or 500ms");
  static const char *const shards[] = {
      "0/4", "5/4", "a/b", "1/0", "1", "/2", "1/", "1/1001", "1/99999999999999999999", "-1/4", "1.5/2"};
  for (size_t i = 0; i < sizeof shards / sizeof shards[0]; i++) {
    char line[80], message[200];
    snprintf(line, sizeof line, "gpubench --plugin a --shard %s", shards[i]);
    snprintf(message, sizeof message, "--shard '%s' is not I/N, with N from 1 to 1000 and I from 1 to N, such as 2/4",
             shards[i]);
    refused(line, message);
  }
  refused("gpubench --plugin a --shard 1/2 --against x",
          "--against is for all cases, --shard 1/2 runs a part: give it to the `gpubench report` of all");
  refused("gpubench --plugin a --foreign x --shard 1/2",
          "--foreign is for all cases, --shard 1/2 runs a part: give it to the `gpubench report` of all");
  refused("gpubench report x --shard 1/2", "--shard does not apply to 'report'");
  ASSERT_EQ_INT(parse("gpubench --plugin a --shard 1000/1000"), 0);
  ASSERT_TRUE(options.run.shard.number == 1000 && options.run.shard.of == 1000);
  refused("gpubench --seed -1", "--seed '-1' is not a whole number");
  refused("gpubench --seed 1.5", "--seed '1.5' is not a whole number");
  refused("gpubench --seed 18446744073709551616", "--seed '18446744073709551616' is out of range: 0 to 2^64 - 1");
  ASSERT_EQ_INT(parse("gpubench --plugin a --precision 0"), 0);
  ASSERT_TRUE(options.cli.precision == 0);
  ASSERT_EQ_INT(parse("gpubench --plugin a --precision 0.005 --timeout 1.5h"), 0);
  ASSERT_NEAR(options.cli.precision, 0.005, 1e-15);
  ASSERT_NEAR(options.common.timeout_s, 5400, 1e-9);
}

static void checks_texts(void) {
  refused("gpubench --name a/b", "--name 'a/b': letters, digits, '.', '_' and '-', at most 63");
  refused("gpubench --name ../x", "--name '../x': letters, digits, '.', '_' and '-', at most 63");
  refused("gpubench --tag novalue", "--tag 'novalue' is not KEY=VALUE");
  refused("gpubench --tag =v", "--tag '=v' is not KEY=VALUE");
  refused("gpubench --tag a=1 --tag a=2", "--tag 'a' is given twice: '1' and '2'");
  refused("gpubench --color blue", "--color 'blue' is not one of auto|always|never");
  refused("gpubench report d --assets beside", "--assets 'beside' is not one of inline|split");
  refused("gpubench -a dtype", "-a 'dtype' is not NAME=VALUES");
  refused("gpubench -a =1", "-a '=1' is not NAME=VALUES");
  refused("gpubench --axis m=", "-a 'm=' is not NAME=VALUES");
  refused("gpubench --plugin a -q -v", "-q and -v contradict each other");
  refused("gpubench --plugin a --no-save --out d", "--no-save and --out 'd' contradict each other");
  refused("gpubench --plugin a --csv - --html -", "--csv - and --html - would both write to stdout");
  refused("gpubench --\x01\xff\x1b[31m", "unknown option '--???[31m'");
  char line[1600] = "gpubench --tag ";
  memset(line + strlen(line), 'k', 1500);
  ASSERT_EQ_INT(parse(line), -1);
  ASSERT_HAS(error.text, "is not KEY=VALUE");
}

static char help_text[16384];

static const char *help(enum command command) {
  FILE *out = fmemopen(help_text, sizeof help_text, "w");
  options_help(command, out);
  fclose(out);
  return help_text;
}

static void helps(void) {
  ASSERT_EQ_INT(parse("gpubench --help --nonsense"), 0);
  ASSERT_EQ_INT(options.command, COMMAND_HELP);
  ASSERT_EQ_INT(options.about, COMMAND_RUN);
  ASSERT_EQ_INT(parse("gpubench report --help"), 0);
  ASSERT_EQ_INT(options.about, COMMAND_REPORT);
  ASSERT_EQ_INT(parse("gpubench list -h"), 0);
  ASSERT_EQ_INT(options.about, COMMAND_LIST);
  ASSERT_EQ_INT(parse("gpubench --version"), 0);
  ASSERT_EQ_INT(options.command, COMMAND_VERSION);
  static const char *const names[] = {"--plugin [LABEL=]FILE",
                                      "--suite FILE.ini",
                                      "--bench",
                                      "--variant",
                                      "--exclude",
                                      "--preset",
                                      "--case KEY",
                                      "-a, --axis",
                                      "--device",
                                      "--baseline",
                                      "--precision",
                                      "--case-time",
                                      "--max-time",
                                      "--timeout",
                                      "--quick",
                                      "--verify-only",
                                      "--profile",
                                      "--dry-run",
                                      "--require",
                                      "--seed",
                                      "--name",
                                      "--tag KEY=VALUE",
                                      "--out DIR",
                                      "--no-save",
                                      "--csv",
                                      "--html",
                                      "-q, --quiet",
                                      "-v, --verbose",
                                      "--color",
                                      "--help",
                                      "--version",
                                      "What to run",
                                      "How to compare",
                                      "Exit codes  0 ok",
                                      "Example"};
  const char *text = help(COMMAND_RUN);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    ASSERT_HAS(text, names[i]);
  ASSERT_HAS(text, "--json FILE ");
  ASSERT_HAS(help(COMMAND_LIST), "--json ");
  ASSERT_TRUE(strstr(help(COMMAND_LIST), "--json FILE") == NULL);
  ASSERT_TRUE(strstr(help(COMMAND_LIST), "--seed") == NULL);
  ASSERT_HAS(help(COMMAND_REPORT), "report RUN...");
}

/* Checks that after the option its line ends, or its help begins in the common column, at least two spaces away. */
static void option_is_aligned(const struct option_desc *desc, const char *text) {
  enum { COLUMN = 26 };
  char left[128];
  snprintf(left, sizeof left, "--%s%s%s", desc->name, desc->argument != NULL ? " " : "",
           desc->argument != NULL ? desc->argument : "");
  for (const char *at = text; (at = strstr(at, left)) != NULL; at += strlen(left)) {
    const char *line = at, *end = at + strlen(left);
    while (line > text && line[-1] != '\n')
      line--;
    const size_t used = (size_t)(end - line), gap = strspn(end, " ");
    /* another option with the same beginning */
    if (strncmp(line, "  -", 3) != 0 || (*end != ' ' && *end != '\n')) continue;
    if (*end == '\n' ? used + 2 <= COLUMN : gap < 2 || used + gap != COLUMN) UNIT_FAIL("not aligned: %.80s", line);
  }
}

static void help_is_aligned(void) {
  for (enum command command = COMMAND_RUN; command <= COMMAND_DOCTOR; command++) {
    const char *text = help(command);
    for (size_t i = 0; i < option_count; i++)
      if ((option_table[i].commands & command_table[command].bit) != 0) option_is_aligned(&option_table[i], text);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
      if (strcspn(line, "\n") > 80) UNIT_FAIL("wider than 80 columns: %.100s", line);
  }
  UNIT_PASS();
}

/* An option with a value has a default, and the default is a value that it accepts. */
static void options_have_defaults(void) {
  char line[256];
  for (size_t i = 0; i < option_count; i++) {
    const struct option_desc *desc = &option_table[i];
    const bool listed = desc->kind == KIND_LIST || desc->kind == KIND_TAG || desc->kind == KIND_TEXT;
    const bool needs = desc->argument != NULL && !listed && desc->kind != KIND_FILE;
    const bool asked_for = strcmp(desc->name, "keep") == 0; /* --keep removes data, so the user must give the value */
    if (needs && desc->usual == NULL && !asked_for) UNIT_FAIL("--%s has no default", desc->name);
    if (desc->argument == NULL && desc->usual != NULL) UNIT_FAIL("--%s is a flag with a default", desc->name);
    if (desc->kind != KIND_WORD) continue;
    const char *words = desc->commands & VERSUS  ? "compare a b"
                        : desc->commands & RUN   ? "x"
                        : desc->commands & TREND ? "trend x"
                                                 : "new x";
    snprintf(line, sizeof line, "gpubench %s --%s %s", words, desc->name, desc->usual);
    ASSERT_EQ_INT(parse(line), 0);
  }
  ASSERT_HAS(help(COMMAND_RUN), "(default: 2%)");
  ASSERT_HAS(help(COMMAND_RUN), "finish an interrupted run");
}

static void done(void) {
  options_free(&options);
  ASSERT_TRUE(options.common.device == NULL);
}

UNIT_MAIN("options", UNIT_TEST(takes_every_option), UNIT_TEST(has_defaults), UNIT_TEST(knows_its_commands),
          UNIT_TEST(takes_plugins_as_words), UNIT_TEST(needs_something_to_run), UNIT_TEST(names_the_nearest_option),
          UNIT_TEST(checks_numbers), UNIT_TEST(checks_ranges), UNIT_TEST(checks_texts), UNIT_TEST(helps),
          UNIT_TEST(help_is_aligned), UNIT_TEST(options_have_defaults), UNIT_TEST(done))
