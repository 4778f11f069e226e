/* Tests writing and reading decided.csv, which keeps the verdicts of a nightly run. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"
#include "history/decided.h"

static void there_and_back(void) {
  struct decided decided = {0}, read;
  struct err err = {0};
  size_t size;
  decided.verdict = xstrdup("unjudged");
  decided.text = xstrdup("one, \"two\"\nthree");
  struct decided_row *row = decided_at(&decided, "=k[n=1,m=\"2\"]", "v", "cold", "");
  free(row->verdict);
  row->verdict = xstrdup("slower");
  row->step = 0.031;
  row->accepted = true;
  decided_at(&decided, "k", "v", "cold", "GPU-1");
  ASSERT_TRUE(decided_at(&decided, "=k[n=1,m=\"2\"]", "v", "cold", "")->accepted); /* found, not added again */
  ASSERT_EQ_INT(decided.count, 2);
  char *text = decided_print(&decided, &size, &err), path[] = "/tmp/gpubench-decided-XXXXXX";
  ASSERT_TRUE(text != NULL);
  const int file = mkstemp(path);
  ASSERT_TRUE(file >= 0);
  close(file);
  ASSERT_EQ_INT(tree_write(path, text, size, &err), 0);
  ASSERT_EQ_INT(decided_read(path, &read, &err), 0);
  unlink(path);
  ASSERT_EQ_STR(read.verdict, "unjudged");
  ASSERT_EQ_STR(read.text, decided.text);
  ASSERT_EQ_INT(read.count, 2);
  ASSERT_EQ_STR(read.rows[0].case_key, "=k[n=1,m=\"2\"]");
  ASSERT_EQ_STR(read.rows[0].verdict, "slower");
  ASSERT_NEAR(read.rows[0].step, 0.031, 1e-12);
  ASSERT_TRUE(isnan(read.rows[0].again_ns) && read.rows[0].accepted && !read.rows[1].accepted);
  ASSERT_EQ_STR(read.rows[1].devices, "GPU-1");
  free(text);
  decided_free(&read);
  decided_free(&decided);
}

UNIT_MAIN("decided", UNIT_TEST(there_and_back))
