/* Tests that a file which is rewritten, truncated, extended or removed is noticed. */
#include "base/file_hash.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "unit.h"

static char path[64];

static void write_file(const char *text) {
  FILE *file = fopen(path, "w");
  ASSERT_TRUE(file != NULL);
  fputs(text, file);
  fclose(file);
}

static const char *check(const struct file_hash *hash) {
  static struct err err;
  err = (struct err){0};
  ASSERT_EQ_INT(file_hash_check(hash, path, &err), err.exit_code == 0 ? 0 : -1);
  ASSERT_TRUE(err.exit_code == 0 || err.exit_code == EXIT_FAILED);
  return err.text;
}

static void what_was_written_is_known(void) {
  struct file_hash hash, taken_up;
  struct err err = {0};
  text_copy(path, sizeof path, "/tmp/gpubench-hash-XXXXXX");
  close(mkstemp(path));
  file_hash_begin(&hash);
  ASSERT_EQ_STR(check(&hash), "");
  file_hash_add(&hash, "a,b\n", 4);
  file_hash_add(&hash, "1,2\n", 4);
  write_file("a,b\n1,2\n");
  ASSERT_EQ_STR(check(&hash), "");
  ASSERT_EQ_STR(check(&hash), ""); /* the check itself changes nothing */
  static const char *const others[] = {"a,b\n1,3\n", "a,b\n1,2", "a,b\n1,2\n\n", ""};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    write_file(others[i]);
    ASSERT_HAS(check(&hash), "is not as gpubench wrote it");
  }
  write_file("a,b\n1,2\n");
  ASSERT_EQ_INT(file_hash_take(&taken_up, path, &err), 0);
  file_hash_add(&taken_up, "3,4\n", 4);
  write_file("a,b\n1,2\n3,4\n");
  ASSERT_EQ_STR(check(&taken_up), "");
  unlink(path);
  ASSERT_HAS(check(&hash), "No such file");
  ASSERT_EQ_INT(file_hash_take(&hash, path, &err), -1);
}

UNIT_MAIN("hash", UNIT_TEST(what_was_written_is_known))
