/* Tests suite files, which name the cases to measure: the selections that their sections give, and the line and
 * message of every refusal. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/selection.h"
#include "options/suite.h"
#include "unit.h"

static char folder[] = "/tmp/gpubench-suite-XXXXXX";
static char path[128];
static struct selection *selections;
static size_t count;
static struct err error;

static void forget(void) {
  for (size_t i = 0; i < count; i++)
    selection_free(&selections[i]);
  free(selections);
  selections = NULL;
  count = 0;
  error = (struct err){0};
}

static int load_bytes(const char *bytes, size_t size) {
  forget();
  FILE *file = fopen(path, "w");
  fwrite(bytes, 1, size, file);
  fclose(file);
  return suite_load(path, &selections, &count, &error);
}

static int load(const char *text) {
  return load_bytes(text, strlen(text));
}

/* Checks that the bytes are refused with this message after "PATH:". */
static void refused_bytes(const char *bytes, size_t size, const char *message) {
  char expected[512];
  ASSERT_EQ_INT(load_bytes(bytes, size), -1);
  ASSERT_EQ_INT(error.exit_code, 2);
  ASSERT_EQ_INT(count, 0);
  snprintf(expected, sizeof expected, "%s:%s", path, message);
  ASSERT_EQ_STR(error.text, expected);
}

static void refused(const char *text, const char *message) {
  refused_bytes(text, strlen(text), message);
}

static void makes_folder(void) {
  ASSERT_TRUE(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/nightly.ini", folder);
}

static void reads_every_key(void) {
  ASSERT_EQ_INT(load("# comment\n"
                     "; another\n\n"
                     "[attention]\r\n"
                     "plugin = attention, ./mine.so, /opt/x.so\r\n"
                     "bench = attention/*\n"
                     "  variant = flash, cudnn\n"
                     "exclude: slow\n"
                     "preset = gpt*\n"
                     "baseline = cudnn\n"
                     "axis.dtype = bf16,fp32\n"
                     "axis.s[pow2] = 10:12\n"
                     "mode = cold\n"
                     "precision = 0.5%\n"
                     "require = flash\n"
                     "case_time = 10s\n"
                     "max_time = 2m\n"
                     "[keys]\n"
                     "case = a/b[m=1,n=2], a/c\n"),
                0);
  ASSERT_EQ_STR(error.text, "");
  ASSERT_EQ_INT(count, 2);
  char expected[256];
  const struct selection *s = &selections[0];
  snprintf(expected, sizeof expected, "%s [attention]", path);
  ASSERT_EQ_STR(s->origin, expected);
  ASSERT_EQ_INT(s->plugins.count, 3);
  ASSERT_EQ_STR(s->plugins.items[0], "attention");
  snprintf(expected, sizeof expected, "%s/./mine.so", folder);
  ASSERT_EQ_STR(s->plugins.items[1], expected);
  ASSERT_EQ_STR(s->plugins.items[2], "/opt/x.so");
  ASSERT_EQ_STR(s->benches.items[0], "attention/*");
  ASSERT_EQ_INT(s->variants.count, 2);
  ASSERT_EQ_STR(s->variants.items[1], "cudnn");
  ASSERT_EQ_STR(s->excludes.items[0], "slow");
  ASSERT_EQ_STR(s->presets.items[0], "gpt*");
  ASSERT_EQ_STR(s->requires.items[0], "flash");
  ASSERT_EQ_STR(s->baselines.items[0], "cudnn");
  ASSERT_EQ_STR(s->axes.items[0], "dtype=bf16,fp32");
  ASSERT_EQ_STR(s->axes.items[1], "s[pow2]=10:12");
  ASSERT_NEAR(s->precision, 0.005, 1e-15);
  ASSERT_NEAR(s->case_time_s, 10, 0);
  ASSERT_NEAR(s->max_time_s, 120, 0);
  ASSERT_EQ_INT(selections[1].cases.count, 2);
  ASSERT_EQ_STR(selections[1].cases.items[0], "a/b[m=1,n=2]");
  ASSERT_EQ_STR(selections[1].cases.items[1], "a/c");
  ASSERT_TRUE(isnan(selections[1].precision) && selections[1].baselines.count == 0);
}

static void appends_to_what_is_there(void) {
  ASSERT_EQ_INT(load("[a]\n"), 0);
  ASSERT_EQ_INT(suite_load(path, &selections, &count, &error), 0);
  ASSERT_EQ_INT(count, 2);
  char missing[192];
  snprintf(missing, sizeof missing, "%s.none", path);
  ASSERT_EQ_INT(suite_load(missing, &selections, &count, &error), -1);
  ASSERT_EQ_INT(count, 2);
  ASSERT_HAS(error.text, "No such file or directory");
  ASSERT_EQ_INT(error.exit_code, 2);
}

static void skips_what_run_ini_keeps_beside(void) {
  ASSERT_EQ_INT(load("[environment]\nplugin = 1\nplugin = 2\nnonsense = x\n[s]\nbench = b\n[tags]\na = b\n"), 0);
  ASSERT_EQ_INT(count, 1);
  ASSERT_EQ_STR(selections[0].benches.items[0], "b");
  char message[192];
  ASSERT_EQ_INT(load("[environment]\nx = 1\n"), -1);
  snprintf(message, sizeof message, "%s: no section: nothing is selected", path);
  ASSERT_EQ_STR(error.text, message);
}

static void decodes_percent(void) {
  ASSERT_EQ_INT(load("[a]\nplugin = a%3Bb.so, c%2Cd.so\naxis.x = 1%3B2\ncase = b/c[x=%2C]\nbaseline = n%20m\n"), 0);
  ASSERT_EQ_STR(selections[0].plugins.items[0], "a;b.so");
  ASSERT_EQ_STR(selections[0].plugins.items[1], "c,d.so");
  ASSERT_EQ_STR(selections[0].axes.items[0], "x=1;2");
  ASSERT_EQ_STR(selections[0].cases.items[0], "b/c[x=%2C]"); /* keys stay as they are printed */
  ASSERT_EQ_STR(selections[0].baselines.items[0], "n m");
  /* inih takes " ;" as the start of a comment, so it must be written %3B. */
  ASSERT_EQ_INT(load("[a]\nbaseline = x ; y\n"), 0);
  ASSERT_EQ_STR(selections[0].baselines.items[0], "x");
}

static void refuses_keys(void) {
  refused("[a]\nplugin = x\n\npresision = 1%\n", "4: unknown key 'presision'; nearest 'precision'");
  refused("[a]\nfrobnicate_all = 1\n",
          "2: unknown key 'frobnicate_all'; there are plugin, bench, variant, exclude, preset, baseline, case, option, "
          "mode, "
          "precision, restarts, require, case_time, max_time, axis.NAME");
  refused("[a]\n= 1\n",
          "2: unknown key ''; there are plugin, bench, variant, exclude, preset, baseline, case, option, mode, "
          "precision, restarts, require, case_time, max_time, axis.NAME");
  refused("[a]\naxis. = 1\n", "2: key 'axis.' names no axis");
  refused("[a]\nbench = x\n\nbench = y\n", "4: key 'bench' repeats line 2");
  refused("[a]\naxis.m = 1\naxis.m = 2\n", "3: key 'axis.m' repeats line 2");
  refused("plugin = x\n", "1: key 'plugin' comes before any [section]");
  refused("[a]\nbench =\n", "2: key 'bench' has no value");
  refused("[a]\nbench = ; x\n", "2: key 'bench' has no value");
  refused("[a]\nbench = a,,b\n", "2: key 'bench' has an empty item in 'a,,b'");
  refused("[a]\nbench = a,\n", "2: key 'bench' has an empty item in 'a,'");
}

static void refuses_values(void) {
  refused(
      "[a]\nmode = hot,tepid\n",
      "2: mode 'tepid': there are cold, hot, graph, latency, latency-graph, wall, each also with +burst or +sustained");
  refused("[a]\nrestarts = 0\n", "2: restarts '0' is not a whole number from 1 to 100");
  refused("[a]\nprecision = much\n", "2: precision 'much' is not a share; write 0.5% or 0.005");
  refused("[a]\ncase_time = 0\n", "2: case_time '0' is out of range: 1ms to 168h");
  refused("[a]\nmax_time = x\n", "2: max_time 'x' is not a time; write 30, 30s, 2m or 500ms");
}

static void refuses_sections(void) {
  refused("[a]\n[b]\n[a]\n", "3: section [a] repeats line 1");
  refused("[tags]\n[a]\n[tags]\n", "3: section [tags] repeats line 1");
  refused("[]\n", "1: a section name has 1 to 48 bytes, this one 0");
  refused("[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\nbench = x\n",
          "1: a section name has 1 to 48 bytes, this one 49");
  refused("[a] bench = x\n", "1: text after '[a]'");
  refused("[a\n", "1: neither 'key = value' nor '[section]'");
  refused("[a]\njust words\nmode = hot\n", "2: neither 'key = value' nor '[section]'");
  char message[192];
  ASSERT_EQ_INT(load("# nothing\n"), -1);
  snprintf(message, sizeof message, "%s: no section: nothing is selected", path);
  ASSERT_EQ_STR(error.text, message);
}

static void refuses_bytes(void) {
  refused_bytes("[a]\nbench = x\0y\n", 16, "2: a NUL byte: is this a text file?");
  refused(
      "[a]\nbe\x1b[31mnch = x\n",
      "2: unknown key 'be?[31mnch'; there are plugin, bench, variant, exclude, preset, baseline, case, option, mode, "
      "precision, restarts, require, case_time, max_time, axis.NAME");
  ASSERT_EQ_INT(load("\xEF\xBB\xBF[a]\nbench = x"), 0); /* a byte order mark, and no newline at the end */
  ASSERT_EQ_INT(count, 1);
}

static void refuses_long_lines(void) {
  enum { LONG = 1 << 20 };
  char *text = calloc(LONG + 64, 1);
  strcpy(text, "[a]\nbench = x\nplugin = ");
  memset(text + strlen(text), 'y', LONG);
  ASSERT_EQ_INT(load(text), -1);
  ASSERT_HAS(error.text, "nightly.ini:3: line longer than ");
  ASSERT_EQ_INT(error.exit_code, 2);
  free(text);
#ifdef HAVE_INIH_GLOBALS
  char line[1200] = "[a]\nbench = ";
  memset(line + strlen(line), 'y', 1000);
  ASSERT_EQ_INT(load(line), 0);
  ASSERT_EQ_INT(strlen(selections[0].benches.items[0]), 1000);
#endif
}

static void refuses_folders(void) {
  forget();
  ASSERT_EQ_INT(suite_load(folder, &selections, &count, &error), -1);
  ASSERT_HAS(error.text, "Is a directory");
  ASSERT_EQ_INT(error.exit_code, 2);
}

static void bounds_sections_and_keys(void) {
  char *text = calloc(1 << 21, 1), *at = text;
  for (int i = 0; i < 100002; i++)
    at += sprintf(at, "[s%d]\n", i);
  ASSERT_EQ_INT(load(text), 0); /* as many sections as the run.ini of the largest plan has */
  ASSERT_EQ_INT(count, 100002);
  sprintf(at, "[s]\n");
  refused(text, "100003: more than 100002 sections");
  at = text + sprintf(text, "[a]\n");
  for (int i = 0; i < 257; i++)
    at += sprintf(at, "axis.a%d = 1\n", i);
  refused(text, "258: more than 256 keys in a section");
  free(text);
}

static void overrides_only_what_is_given(void) {
  struct selection over;
  ASSERT_EQ_INT(load("[a]\nbaseline = x\nprecision = 1%\ncase_time = 3\nbench = b\n"), 0);
  selection_init(&over, "command line");
  selection_override(&selections[0], &over);
  ASSERT_EQ_STR(selections[0].baselines.items[0], "x");
  ASSERT_NEAR(selections[0].precision, 0.01, 1e-15);
  ASSERT_TRUE(isnan(selections[0].max_time_s));
  strings_add(&over.baselines, "y");
  over.precision = 0.02;
  over.max_time_s = 9;
  selection_override(&selections[0], &over);
  ASSERT_TRUE(selections[0].narrow == &over);
  ASSERT_EQ_STR(selections[0].baselines.items[0], "y");
  ASSERT_NEAR(selections[0].precision, 0.02, 0);
  ASSERT_NEAR(selections[0].case_time_s, 3, 0);
  ASSERT_NEAR(selections[0].max_time_s, 9, 0);
  ASSERT_EQ_STR(selections[0].benches.items[0], "b");
  selection_free(&over);
}

static void keeps_labels(void) {
  char expected[300];
  ASSERT_EQ_INT(load("[a]\nplugin = old=./a.so, new=b.so, c=/x/d=e.so, ./f=g.so\nbaseline = x@old, y\n"), 0);
  snprintf(expected, sizeof expected, "old=%s/./a.so", folder);
  ASSERT_EQ_STR(selections[0].plugins.items[0], expected);
  ASSERT_EQ_STR(selections[0].plugins.items[1], "new=b.so");
  ASSERT_EQ_STR(selections[0].plugins.items[2], "c=/x/d=e.so");
  snprintf(expected, sizeof expected, "%s/./f=g.so", folder);
  ASSERT_EQ_STR(selections[0].plugins.items[3], expected);
  ASSERT_EQ_INT(selections[0].baselines.count, 2);
  ASSERT_EQ_STR(selections[0].baselines.items[1], "y");
}

/* In "x=y/nightly.ini" the folder's name is not a label. */
static void folders_are_no_labels(void) {
  char odd[300], file[320];
  struct selection *read = NULL;
  size_t read_count = 0;
  ASSERT_EQ_INT(chdir(folder), 0);
  snprintf(odd, sizeof odd, "x=y");
  ASSERT_EQ_INT(mkdir(odd, 0700), 0);
  snprintf(file, sizeof file, "%s/n.ini", odd);
  FILE *out = fopen(file, "w");
  ASSERT_TRUE(out != NULL);
  if (out == NULL) return;
  fputs("[a]\nplugin = ./a.so, old=./a.so\n", out);
  fclose(out);
  ASSERT_EQ_INT(suite_load(file, &read, &read_count, &error), 0);
  ASSERT_EQ_STR(read[0].plugins.items[0], "./x=y/./a.so");
  ASSERT_EQ_STR(read[0].plugins.items[1], "old=x=y/./a.so");
  selection_free(read);
  free(read);
  ASSERT_EQ_INT(remove(file) + rmdir(odd) + chdir("/"), 0);
}

static void removes_folder(void) {
  forget();
  unlink(path);
  ASSERT_EQ_INT(rmdir(folder), 0);
}

UNIT_MAIN("suite", UNIT_TEST(makes_folder), UNIT_TEST(reads_every_key), UNIT_TEST(appends_to_what_is_there),
          UNIT_TEST(skips_what_run_ini_keeps_beside), UNIT_TEST(decodes_percent), UNIT_TEST(refuses_keys),
          UNIT_TEST(refuses_values), UNIT_TEST(refuses_sections), UNIT_TEST(refuses_bytes),
          UNIT_TEST(refuses_long_lines), UNIT_TEST(refuses_folders), UNIT_TEST(bounds_sections_and_keys),
          UNIT_TEST(overrides_only_what_is_given), UNIT_TEST(keeps_labels), UNIT_TEST(folders_are_no_labels),
          UNIT_TEST(removes_folder))
