/* Tests asking a bench with which minor of its contract a case came: right answers, wrong ones, and their messages. */
#include "case/minor.h"

#include "fixture_case.h"

static struct bed bed;
static uint32_t answers[2]; /* what `minor_of` returns when it is entered for the first and for the second time */
static uint32_t entered;
static const char *said;

static uint32_t minor_of(const gb_bench *self, gb_case *c) {
  (void)self;
  if (said != NULL) gb.host->fail(gb.host, c, GB_EFAIL, said);
  return answers[entered++ % 2];
}

static struct outcome ask(uint32_t first, uint32_t second, uint32_t *minor) {
  struct outcome says;
  answers[0] = first;
  answers[1] = second;
  entered = 0;
  minor_ask(bed.c, minor, &says);
  return says;
}

static void wrong(uint32_t first, uint32_t second, const char *message) {
  uint32_t minor;
  const struct outcome says = ask(first, second, &minor);
  ASSERT_EQ_INT(says.kind, OUTCOME_FAIL);
  ASSERT_EQ_INT(says.rule, RULE_MINORS);
  ASSERT_EQ_STR(says.message, message);
}

static void open_bench(void) {
  bed_open(&bed);
  bed.bench.own.minor_of = minor_of;
  bed.bench.desc.contract_minor = 3;
  said = NULL;
}

static void minors_up_to_that_of_the_contract(void) {
  uint32_t minor = 9;
  open_bench();
  for (uint32_t m = 0; m <= 3; m++) {
    ASSERT_EQ_INT(ask(m, m, &minor).kind, OUTCOME_OK);
    ASSERT_EQ_INT(minor, m);
  }
  said = "of no importance";
  ASSERT_EQ_INT(ask(1, 1, &minor).kind, OUTCOME_OK);
  bed.bench.own.minor_of = NULL;
  ASSERT_EQ_INT(ask(2, 2, &minor).kind, OUTCOME_OK);
  ASSERT_EQ_INT(minor, 0);
  ASSERT_EQ_INT(entered, 0);
  bed_close(&bed);
}

static void wrong_answers_have_a_message(void) {
  open_bench();
  wrong(4, 4, "gave 4, and contract_minor of gpubench.org/test/1 is 3");
  wrong(UINT32_MAX, UINT32_MAX, "gave 4294967295, and contract_minor of gpubench.org/test/1 is 3");
  wrong(1, 2, "gave 1 and then 2 for one case");
  wrong(9, 2, "gave 9 and then 2 for one case");
  said = "raised an exception";
  wrong(UINT32_MAX, UINT32_MAX, "raised an exception");
  bed_close(&bed);
}

static void only_guests_of_earlier_minors_lack_a_case(void) {
  struct variant guest = {.desc = {.bench = -1, .contract_minor = 2}}, own = {.desc = {.bench = 0}};
  char why[TEXT_SIZE];
  ASSERT_TRUE(!minor_is_later(&guest, 0) && !minor_is_later(&guest, 2) && minor_is_later(&guest, 3));
  ASSERT_TRUE(!minor_is_later(&own, 3));
  text_copy(guest.desc.contract, sizeof guest.desc.contract, "gpubench.org/attention/forward/1");
  minor_reason(&guest, 3, why, sizeof why);
  ASSERT_EQ_STR(why, "written for minor 2 of gpubench.org/attention/forward/1; this case came with minor 3");
}

UNIT_MAIN("minor", UNIT_TEST(minors_up_to_that_of_the_contract), UNIT_TEST(wrong_answers_have_a_message),
          UNIT_TEST(only_guests_of_earlier_minors_lack_a_case))
