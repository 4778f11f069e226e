/* Tests plugins that are Python scripts: they are recognized by their suffix, named after their file, and the bytes
 * that run are those that were hashed. */
#include "plugin/script.h"

#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static void known_by_the_ending(void) {
  ASSERT_TRUE(script_is("/a/b.py"));
  ASSERT_TRUE(!script_is("/a/b.so"));
  ASSERT_TRUE(!script_is(".py"));
  ASSERT_TRUE(!script_is("py"));
  ASSERT_TRUE(!script_is(""));
}

static void named_after_the_file(void) {
  char id[ID_SIZE];
  struct err err = {0};
  ASSERT_EQ_INT(script_name("/some folder/my-softmax_2.py", id, &err), 0);
  ASSERT_EQ_STR(id, "my-softmax_2");
  ASSERT_EQ_INT(script_name("/a/not a name.py", id, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
  ASSERT_HAS(err.text, "'not a name' is not a valid name");
}

static void read_with_its_hash(void) {
  char path[] = "/tmp/gpubench-script-XXXXXX";
  const int fd = mkstemp(path);
  struct plugin *plugin = calloc(1, sizeof *plugin);
  struct err err = {0};
  ASSERT_TRUE(fd >= 0 && write(fd, "a\0b", 3) == 3);
  text_copy(plugin->path, sizeof plugin->path, path);
  char hash[65];
  ASSERT_EQ_INT(script_take(plugin, hash, &err), 0);
  ASSERT_EQ_INT(plugin->script_bytes, 3);
  ASSERT_EQ_INT(memcmp(plugin->script, "a\0b", 4), 0);
  free(plugin->script);
  ASSERT_EQ_STR(hash, "59b271ae1bbcb1d31d41929817f4b16fb439eb4f31520b5ad1d5ce98920a7138");
  free(plugin);
  close(fd);
  unlink(path);
}

/* python.so, which runs the scripts, is expected next to the file that contains script_library(). In a worker this file
 * is a library; here it is the test program. */
static void what_runs_them_lies_beside_the_worker(void) {
  char path[4096];
  struct err err = {0};
  ASSERT_EQ_INT(script_library(path, sizeof path, &err), 0);
  ASSERT_HAS(path, "/python.so");
}

UNIT_MAIN("script", UNIT_TEST(known_by_the_ending), UNIT_TEST(named_after_the_file), UNIT_TEST(read_with_its_hash),
          UNIT_TEST(what_runs_them_lies_beside_the_worker))
