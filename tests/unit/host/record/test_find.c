/* Tests finding runs by name, by words with a meaning such as "last", and by hostile names. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "record/find.h"
#include "unit.h"

static char root[] = "/tmp/gpubench-find-XXXXXX";

static void begin(void) {
  memcpy(root + sizeof root - 7, "XXXXXX", 6);
  ASSERT_TRUE(mkdtemp(root) != NULL);
  ASSERT_EQ_INT(chdir(root), 0);
  ASSERT_EQ_INT(mkdir("gpubench-out", 0777), 0);
  unsetenv("GPUBENCH_OUT");
}

static void finish(void) {
  char command[128];
  ASSERT_EQ_INT(chdir("/"), 0);
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  ASSERT_EQ_INT(system(command), 0);
}

static void put(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  ASSERT_TRUE(out != NULL);
  if (out == NULL) return;
  fputs(text, out);
  fclose(out);
}

static void make_run(const char *id, const char *name) {
  char path[600], text[600];
  snprintf(path, sizeof path, "gpubench-out/%s", id);
  ASSERT_EQ_INT(mkdir(path, 0777), 0);
  snprintf(path, sizeof path, "gpubench-out/%s/results.csv", id);
  put(path, "rows\n");
  snprintf(path, sizeof path, "gpubench-out/%s/run.ini", id);
  snprintf(text, sizeof text, "[environment]\nname = %s\n", name);
  put(path, text);
}

static void assert_found(const char *what, const char *expected) {
  struct err err = {0};
  char *path = find_run(what, &err);
  ASSERT_EQ_STR(path != NULL ? path : err.text, expected);
  free(path);
}

static void assert_lost(const char *what, const char *says) {
  struct err err = {0};
  char *path = find_run(what, &err);
  ASSERT_TRUE(path == NULL);
  ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
  ASSERT_HAS(err.text, says);
  for (const char *c = err.text; *c != '\0'; c++)
    ASSERT_TRUE((unsigned char)*c >= 0x20 && *c != 0x7f);
  free(path);
}

static void names_and_words(void) {
  begin();
  make_run("20261121T071503Z-softmax", "softmax");
  make_run("20261121T081503Z-nightly", "nightly");
  make_run("20261121T091503Z-softmax", "softmax");
  make_run("20261121T091503Z-softmax-2", "softmax");
  assert_found("softmax", "gpubench-out/20261121T091503Z-softmax-2");
  assert_found("nightly", "gpubench-out/20261121T081503Z-nightly");
  assert_found("20261121T071503Z-softmax", "gpubench-out/20261121T071503Z-softmax");
  assert_found("last", "gpubench-out/20261121T091503Z-softmax-2");
  assert_found("latest", "gpubench-out/20261121T091503Z-softmax-2"); /* without the link it is the newest run */
  assert_found("gpubench-out/20261121T071503Z-softmax", "gpubench-out/20261121T071503Z-softmax");
  ASSERT_EQ_INT(mkdir("nightly", 0777), 0); /* a folder of this name is not a run */
  assert_found("nightly", "gpubench-out/20261121T081503Z-nightly");
  put("nightly/results.csv", "rows\n");
  assert_found("nightly", "nightly");
  finish();
}

static void latest_is_the_link(void) {
  char expected[200];
  begin();
  make_run("20261121T071503Z-a", "a");
  make_run("20261121T081503Z-b", "b");
  ASSERT_EQ_INT(symlink("20261121T071503Z-a", "gpubench-out/latest"), 0);
  snprintf(expected, sizeof expected, "%s/gpubench-out/20261121T071503Z-a", root);
  assert_found("latest", expected);
  assert_found("last", expected); /* both words mean the same run */
  unlink("gpubench-out/latest");
  static const char *const nowhere[] = {"latest", "20261121T071503Z-gone"};
  for (size_t i = 0; i < 2; i++) {
    ASSERT_EQ_INT(symlink(nowhere[i], "gpubench-out/latest"), 0);
    assert_found("latest", "gpubench-out/20261121T081503Z-b");
    assert_found("last", "gpubench-out/20261121T081503Z-b");
    unlink("gpubench-out/latest");
  }
  ASSERT_TRUE(find_is_last("last") && find_is_last("latest") && !find_is_last("newest"));
  finish();
}

static void slips_are_told_what_is_near(void) {
  begin();
  assert_lost("anything", "there are no runs in gpubench-out");
  make_run("20261121T071503Z-softmax", "softmax");
  assert_lost("sofmax", "; nearest 'softmax'");
  assert_lost("lasst", "; nearest 'last'");
  assert_lost("20261121T071503Z-softmx", "; nearest '20261121T071503Z-softmax'");
  assert_lost("zebra", "none of 1 runs in gpubench-out: 20261121T071503Z-softmax");
  finish();
}

static void names_that_mean_harm(void) {
  static char longest[9000];
  memset(longest, 'n', sizeof longest - 1);
  begin();
  make_run("20261121T071503Z-softmax", "softmax");
  make_run("20261121T081503Z-\n\033[31mred", "x");
  ASSERT_EQ_INT(symlink("20261121T091503Z-loop", "gpubench-out/20261121T091503Z-loop"), 0);
  ASSERT_EQ_INT(mkdir("gpubench-out/20261121T101503Z-empty", 0777), 0);
  assert_lost("../softmax", "no run '../softmax': No such file or directory");
  assert_lost("soft\nmax\033[0m", "no run 'soft?max?[0m'");
  assert_lost(longest, "no run 'nnnn");
  assert_lost("%s%n%s", "no run '%s%n%s'");
  assert_lost("", "no run ''");
  assert_found("softmax", "gpubench-out/20261121T071503Z-softmax");
  finish();
}

static bool any_run(const char *path, void *user) {
  const char *unwanted = user;
  return unwanted == NULL || strstr(path, unwanted) == NULL;
}

static void assert_newest(const char *before, const char *unwanted, const char *expected) {
  char *path = find_newest(before, any_run, (void *)(uintptr_t)unwanted);
  ASSERT_EQ_STR(path != NULL ? path : "none", expected);
  free(path);
}

static void the_newest_that_fits(void) {
  begin();
  make_run("20261121T071503Z-a", "a");
  make_run("20261121T081503Z-b", "b");
  make_run("20261121T081503Z-b-2", "b");
  assert_newest(NULL, NULL, "gpubench-out/20261121T081503Z-b-2");
  assert_newest("20261121T081503Z-b-2", NULL, "gpubench-out/20261121T081503Z-b");
  assert_newest("20261121T081503Z", NULL, "gpubench-out/20261121T071503Z-a");
  assert_newest("20261121T071503Z-a", NULL, "none");
  assert_newest(NULL, "-b", "gpubench-out/20261121T071503Z-a");
  int fd = open("gpubench-out/20261121T081503Z-b-2", O_RDONLY | O_DIRECTORY);
  ASSERT_EQ_INT(flock(fd, LOCK_EX), 0); /* this run is still being written */
  assert_newest(NULL, NULL, "gpubench-out/20261121T081503Z-b");
  close(fd);
  finish();
}

UNIT_MAIN("find", UNIT_TEST(names_and_words), UNIT_TEST(latest_is_the_link), UNIT_TEST(slips_are_told_what_is_near),
          UNIT_TEST(names_that_mean_harm), UNIT_TEST(the_newest_that_fits))
