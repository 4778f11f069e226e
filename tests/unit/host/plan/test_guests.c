/* Tests the messages about guests (variants for another plugin's bench) whose contract no loaded bench has. */
#include "plan/lineup.h"

#include "fixture_catalog.h"
#include "unit.h"

static struct fixture *fixture;
static struct lineups lineups;

static const char *offered(const char *contract) {
  static char text[900];
  guests_offered(&fixture->catalog, &lineups, contract, text, sizeof text);
  return text;
}

static void begin(void) {
  fixture = fixture_new();
  lineups_all(&fixture->catalog, &lineups);
}

static void end(void) {
  lineups_free(&lineups);
  free(fixture);
}

static void finds_what_is_meant(void) {
  begin();
  const struct {
    const char *asked, *meant;
  } cases[] = {{"gpubench.org/softmax/rows/1", "softmax/rows"},
               {"gpubench.org/softmax/rows/9", "softmax/rows"},
               {"gpubench.org/sotfmax/rows/1", "softmax/rows"},
               {"softmax/rows", "softmax/rows"},
               {"softmax/row", "softmax/rows"},
               {"gpubnech.org/attention/forward/1", "attention/forward"},
               {"gpubench.org/attention/forward", "attention/forward"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct lineup *lineup = guests_nearest(&lineups, cases[i].asked);
    ASSERT_EQ_STR(lineup != NULL ? lineup->id : "none", cases[i].meant);
  }
  end();
}

/* A contract is suggested only if its name is similar. A long common prefix does not make names similar. */
static void tells_others_apart(void) {
  begin();
  ASSERT_TRUE(guests_nearest(&lineups, "gpubench.org/matmul/gemm/1") == NULL);
  ASSERT_TRUE(guests_nearest(&lineups, "example.org/mine/axpy/1") == NULL);
  ASSERT_TRUE(guests_nearest(&lineups, "") == NULL);
  ASSERT_TRUE(guests_nearest(&lineups, "/") == NULL);
  end();
}

static void says_what_there_is(void) {
  begin();
  ASSERT_EQ_STR(offered("gpubench.org/softmax/rows/9"), "loaded: gpubench.org/softmax/rows/1 (from softmax)");
  ASSERT_EQ_STR(offered("gpubench.org/sotfmax/rows/1"), "nearest: gpubench.org/softmax/rows/1 (from softmax)");
  ASSERT_EQ_STR(
      offered("gpubench.org/matmul/gemm/1"),
      "loaded: gpubench.org/attention/forward/1 (from attention), gpubench.org/softmax/rows/1 (from softmax), "
      "gpubench.org/copy/all/1 (from copy)");
  const struct lineups none = {0};
  char text[64];
  guests_offered(&fixture->catalog, &none, "x", text, sizeof text);
  ASSERT_EQ_STR(text, "no bench is loaded");
  end();
}

static void checks_every_guest(void) {
  const char *contract;
  struct err err = {0};
  begin();
  ASSERT_EQ_INT(guests_check(&fixture->catalog, &lineups, &contract, &err), 0);
  ASSERT_TRUE(contract == NULL);
  SET(fixture->variants[MINE][2].contract, "gpubench.org/copy/all/2"); /* the last guest */
  ASSERT_EQ_INT(guests_check(&fixture->catalog, &lineups, &contract, &err), 0);
  ASSERT_TRUE(contract == NULL);
  struct strings lines = {0};
  guests_left_out(&fixture->catalog, &lineups, &lines);
  ASSERT_EQ_INT(lines.count, 1);
  ASSERT_EQ_STR(lines.items[0],
                "plugin 'mine' attaches also to contract gpubench.org/copy/all/2, which nobody offers here; loaded: "
                "gpubench.org/copy/all/1 (from copy)");
  strings_free(&lines);
  SET(fixture->variants[MINE][0].contract, "gpubench.org/copy/all/2");
  SET(fixture->variants[MINE][1].contract, "gpubench.org/copy/all/3");
  ASSERT_EQ_INT(guests_check(&fixture->catalog, &lineups, &contract, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
  ASSERT_EQ_STR(contract, "gpubench.org/copy/all/2");
  ASSERT_EQ_STR(
      err.text,
      "plugin 'mine' attaches to contract gpubench.org/copy/all/2; loaded: gpubench.org/copy/all/1 (from copy)");
  end();
}

/* The message is truncated to the size of its buffer. */
static void bounds_its_text(void) {
  begin();
  for (size_t size = 1; size < 200; size++) {
    char text[200];
    memset(text, 'x', sizeof text);
    guests_offered(&fixture->catalog, &lineups, "other", text, size);
    ASSERT_TRUE(strlen(text) < size);
    ASSERT_TRUE(size == sizeof text || text[size] == 'x');
  }
  end();
}

UNIT_MAIN("guests", UNIT_TEST(finds_what_is_meant), UNIT_TEST(tells_others_apart), UNIT_TEST(says_what_there_is),
          UNIT_TEST(checks_every_guest), UNIT_TEST(bounds_its_text))
