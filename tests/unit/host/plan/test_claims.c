/* Tests claims on cases that jobs share: the first claim holds, whatever happens to the jobs. */
#include "plan/claims.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"
#include "unit.h"

enum { JOBS = 4, NUMBERS = 200 };

static char root[] = "/tmp/gpubench-claims-XXXXXX";
static char *folder;

static void begin(void) {
  struct err error = {0};
  if (folder == NULL) {
    ASSERT_TRUE(mkdtemp(root) != NULL);
    folder = memory_print("%s/claims", root);
  }
  ASSERT_EQ_INT(tree_remove(folder, &error), 0);
}

static void end(void) {
  struct err error = {0};
  tree_remove(root, &error);
  free(folder);
}

static uint32_t take(size_t number, uint32_t by, uint32_t of) {
  struct err error = {0};
  uint32_t whose = 0;
  ASSERT_EQ_INT(claims_take(folder, number, by, of, &whose, &error), 0);
  return whose;
}

static void the_first_has_it(void) {
  begin();
  ASSERT_TRUE(claims_open(folder));
  ASSERT_EQ_INT(claims_whose(folder, 7), 0);
  ASSERT_EQ_INT(take(7, 2, 1), 2);
  ASSERT_EQ_INT(take(7, 1, 1), 2);
  ASSERT_EQ_INT(take(7, 2, 2), 2); /* continued after a kill */
  ASSERT_EQ_INT(claims_whose(folder, 7), 2);
  ASSERT_EQ_INT(take(77, 1, 1), 1);
  ASSERT_EQ_INT(claims_whose(folder, 77), 1);
  ASSERT_EQ_INT(claims_taken_over(folder), 1);
}

static void closed_they_hold(void) {
  begin();
  ASSERT_TRUE(!claims_are_open(folder));
  claims_close(folder); /* there is no folder */
  ASSERT_EQ_INT(claims_taken_over(folder), 0);
  ASSERT_TRUE(claims_open(folder) && claims_are_open(folder));
  ASSERT_TRUE(claims_open(folder)); /* it is open already */
  take(1, 1, 1);
  claims_close(folder);
  ASSERT_TRUE(!claims_are_open(folder));
  ASSERT_EQ_INT(claims_whose(folder, 1), 1);
  ASSERT_EQ_INT(take(2, 2, 2), 2);
}

static void write_file(const char *name, const char *text) {
  char *path = memory_print("%s/%s", folder, name);
  FILE *out = fopen(path, "we");
  ASSERT_TRUE(out != NULL && fputs(text, out) >= 0 && fclose(out) == 0);
  free(path);
}

/* A job killed between linking its draft and removing it leaves a draft; a new attempt must not overwrite the claim. */
static void a_draft_that_was_left(void) {
  begin();
  ASSERT_TRUE(claims_open(folder));
  ASSERT_EQ_INT(take(1, 2, 1), 2);
  char *claim = memory_print("%s/1", folder), *draft = memory_print("%s/draft-2", folder);
  ASSERT_EQ_INT(link(claim, draft), 0);
  free(claim);
  free(draft);
  ASSERT_EQ_INT(take(2, 2, 2), 2);
  ASSERT_EQ_INT(claims_whose(folder, 1), 2);
  ASSERT_EQ_INT(claims_taken_over(folder), 1);
  write_file("draft-1", "1");
  ASSERT_EQ_INT(take(3, 1, 1), 1);
  ASSERT_EQ_INT(claims_whose(folder, 3), 1);
}

/* An unreadable claim belongs to some job, but not to the one that asks. */
static void what_cannot_be_read(void) {
  begin();
  ASSERT_TRUE(claims_open(folder));
  write_file("5", "");
  write_file("6", "some one");
  ASSERT_TRUE(claims_whose(folder, 5) == UINT32_MAX && claims_whose(folder, 6) == UINT32_MAX);
  ASSERT_TRUE(take(5, 1, 1) == UINT32_MAX);
  ASSERT_EQ_INT(claims_taken_over(folder), 0);
}

static void where_none_can_be_made(void) {
  struct err error = {0};
  uint32_t whose;
  begin();
  ASSERT_TRUE(!claims_open("/dev/null/claims"));
  ASSERT_EQ_INT(claims_take(folder, 1, 1, 1, &whose, &error), -1);
  ASSERT_HAS(error.text, "/claims/1: No such file");
}

/* All jobs claim all numbers at the same time, and agree on each. */
static void they_race(void) {
  begin();
  ASSERT_TRUE(claims_open(folder));
  for (uint32_t job = 1; job <= JOBS; job++)
    if (fork() == 0) {
      struct err error = {0};
      uint32_t whose;
      bool agreed = true;
      for (size_t i = 1; i <= NUMBERS; i++)
        agreed = agreed && claims_take(folder, i, job, 1, &whose, &error) == 0 && whose == claims_whose(folder, i);
      _exit(agreed ? 0 : 1);
    }
  for (int i = 0, status = 0; i < JOBS; i++)
    ASSERT_TRUE(wait(&status) > 0 && status == 0);
  size_t others = 0;
  for (size_t i = 1; i <= NUMBERS; i++) {
    ASSERT_TRUE(claims_whose(folder, i) >= 1 && claims_whose(folder, i) <= JOBS);
    others += claims_whose(folder, i) != 1;
  }
  ASSERT_EQ_INT(claims_taken_over(folder), others);
  end();
}

UNIT_MAIN("claims", UNIT_TEST(the_first_has_it), UNIT_TEST(closed_they_hold), UNIT_TEST(a_draft_that_was_left),
          UNIT_TEST(what_cannot_be_read), UNIT_TEST(where_none_can_be_made), UNIT_TEST(they_race))
