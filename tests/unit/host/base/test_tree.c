/* Tests exchanging, removing and restoring folders. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"

static char root[] = "/tmp/gpubench-tree-XXXXXX";

static char *at(const char *name) {
  return memory_print("%s/%s", root, name);
}

static void write_in(const char *name, const char *text) {
  struct err err = {0};
  char *folder = at(name), *file = memory_print("%s/deep/file", folder), *deep = memory_print("%s/deep", folder);
  ASSERT_EQ_INT(tree_make(deep, &err), 0);
  ASSERT_EQ_INT(tree_write(file, text, strlen(text), &err), 0);
  free(deep);
  free(file);
  free(folder);
}

static int first_of(const char *name) {
  char *file = memory_print("%s/%s/deep/file", root, name);
  FILE *in = fopen(file, "r");
  const int first = in != NULL ? getc(in) : 0;
  if (in != NULL) fclose(in);
  free(file);
  return first;
}

static void replaces(void) {
  struct err err = {0};
  bool in_steps;
  ASSERT_TRUE(mkdtemp(root) != NULL);
  char *made = at("made"), *site = at("site");
  write_in("made", "a");
  ASSERT_EQ_INT(tree_replace(made, site, &in_steps, &err), 0);
  ASSERT_EQ_INT(first_of("site"), 'a');
  write_in("made", "b");
  ASSERT_EQ_INT(tree_replace(made, site, &in_steps, &err), 0);
  ASSERT_EQ_INT(first_of("site"), 'b');
  ASSERT_TRUE(access(made, F_OK) != 0);
  setenv("GPUBENCH_NO_EXCHANGE", "1", 1);
  write_in("made", "c");
  ASSERT_EQ_INT(tree_replace(made, site, &in_steps, &err), 0);
  ASSERT_TRUE(in_steps);
  ASSERT_EQ_INT(first_of("site"), 'c');
  free(made);
  free(site);
}

static void recovers_and_removes(void) {
  struct err err = {0};
  char *site = at("site"), *old = at("site.old"), *link = at("site/deep/link"), *kept = at("kept");
  ASSERT_EQ_INT(rename(site, old), 0);
  ASSERT_EQ_INT(tree_recover(site, &err), 0);
  ASSERT_EQ_INT(first_of("site"), 'c');
  write_in("kept", "k");
  ASSERT_EQ_INT(symlink(kept, link), 0);
  ASSERT_EQ_INT(tree_remove(site, &err), 0);
  ASSERT_EQ_INT(first_of("kept"), 'k'); /* links are not followed */
  ASSERT_EQ_INT(tree_remove(site, &err), 0);
  ASSERT_EQ_INT(tree_remove(root, &err), 0);
  free(site);
  free(old);
  free(link);
  free(kept);
}

static void removes_what_is_deep(void) {
  struct err err = {0};
  char top[] = "/tmp/gpubench-deep-XXXXXX", path[1024];
  ASSERT_TRUE(mkdtemp(top) != NULL);
  size_t used = (size_t)snprintf(path, sizeof path, "%s", top);
  for (int depth = 0; depth < 200; depth++)
    used += (size_t)snprintf(path + used, sizeof path - used, "/%d", depth % 10);
  ASSERT_EQ_INT(tree_make(path, &err), 0);
  ASSERT_EQ_INT(tree_remove(top, &err), 0);
  ASSERT_TRUE(access(top, F_OK) != 0);
}

static void tells_what_stays(void) {
  struct err err = {0};
  ASSERT_EQ_INT(tree_remove("/proc/self/status", &err), -1);
  ASSERT_TRUE(strncmp(err.text, "cannot remove /proc/self/status: ", 33) == 0);
}

/* Installed files are found by the path of the running program. The tests lie in the same build folder as gpubench. */
static void installed_files_are_beside_the_binary(void) {
  char self[PATH_MAX], expected[PATH_MAX + 64], path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  ASSERT_TRUE(length > 0);
  self[length > 0 ? length : 0] = '\0';
  ASSERT_TRUE(tree_installed(path, sizeof path, "/lib/x"));
  const char *end = strstr(self, "/tests/");
  snprintf(expected, sizeof expected, "%.*s/lib/x", (int)(end != NULL ? end - self : 0), self);
  ASSERT_EQ_STR(path, expected);
  ASSERT_TRUE(!tree_installed(path, 4, "/lib/x"));
}

UNIT_MAIN("tree", UNIT_TEST(replaces), UNIT_TEST(recovers_and_removes), UNIT_TEST(removes_what_is_deep),
          UNIT_TEST(tells_what_stays), UNIT_TEST(installed_files_are_beside_the_binary))
