/* Tests which verdicts about two rows are dropped because the time of a row is unproven (not confirmed well enough). */
#include "record/record.h"

#include <math.h>

#include "unit.h"

static struct record a, b;

static void begin(void) {
  record_init(&a);
  record_init(&b);
}

static void end(void) {
  record_free(&a);
  record_free(&b);
}

static void maths(const char *first, const char *second) {
  record_set(&a.math, first);
  record_set(&b.math, second);
}

static void errors(double first, double second, double tolerance) {
  a.verify_error = first;
  b.verify_error = second;
  a.verify_tolerance = b.verify_tolerance = tolerance;
}

static void fewer_bits_are_a_reason(void) {
  static const struct {
    const char *own, *theirs;
    bool lacks;
  } rows[] = {{"bf16", "fp32", true},  {"tf32", "fp32", true},  {"3xtf32", "fp32", true}, {"fp8", "bf16", true},
              {"bf16", "fp16", true},  {"fp32", "fp64", true},  {"fp32", "bf16", false},  {"fp32", "fp32", false},
              {"tf32", "fp16", false}, {"fp16", "tf32", false}, {"native", "fp32", false}};
  begin();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    maths(rows[i].own, rows[i].theirs);
    ASSERT_EQ_INT(record_unproven(&a, &b), rows[i].lacks ? UNPROVEN_BIT(UNPROVEN_PRECISION) : 0);
  }
  maths(NULL, NULL);
  ASSERT_EQ_INT(record_unproven(&a, &b), 0);
  end();
}

/* The reasons "precision" and "error" that a file records for a row refer to the row's own baseline. For a comparison
 * with another row they are computed anew. */
static void of_two_rows_anew(void) {
  begin();
  maths("bf16", "bf16");
  record_set(&a.unproven, "few;precision;error");
  ASSERT_EQ_INT(record_unproven(&a, &b), UNPROVEN_BIT(UNPROVEN_FEW));
  end();
}

static void words_are_taken_from_either_side(void) {
  begin();
  maths("bf16", "fp32");
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), UNPROVEN_BIT(UNPROVEN_PRECISION));
  /* kept: the row is slower although it has less work to do */
  ASSERT_EQ_INT(record_word_taken(VERDICT_SLOWER, &a, &b), 0);
  ASSERT_EQ_INT(record_word_taken(VERDICT_SAME, &a, &b), UNPROVEN_BIT(UNPROVEN_PRECISION));
  ASSERT_EQ_INT(record_word_taken(VERDICT_SLOWER, &b, &a), UNPROVEN_BIT(UNPROVEN_PRECISION));
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &b, &a), 0);
  end();
}

/* Some reasons hold for all rows of a case: the elements to be compared could be foreseen, few were compared, or the
 * parent's own clock did not confirm the times. Between rows of one plugin these reasons drop no verdict. They do if
 * one of the rows is another plugin's guest. */
static void what_all_could_foresee_is_held_against_guests(void) {
  const uint32_t lasting = UNPROVEN_BIT(UNPROVEN_FORESEEN) | UNPROVEN_BIT(UNPROVEN_FEW) | UNPROVEN_BIT(UNPROVEN_CLOCK);
  begin();
  record_set(&a.unproven, "foreseen;few;clock;untimed");
  record_set(&b.unproven, "foreseen;few;clock;untimed");
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), 0);
  record_set(&a.provider, "guest");
  record_set(&b.provider, "owner");
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), lasting);
  ASSERT_EQ_INT(record_word_taken(VERDICT_SLOWER, &a, &b), lasting);
  ASSERT_EQ_INT(record_word_taken(VERDICT_SAME, &a, &b), lasting);
  record_set(&a.unproven, "untimed");
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), 0);
  end();
}

/* On a busy machine, a row may be faster than another row of its plugin by more than other jobs can explain. Whether
 * reuse of results explains the difference is then decided by the best estimate of reuse, not by its upper bound. */
static void busy_rows_that_lead_by_reuse(void) {
  begin();
  a.median_raw_ns = 1000, b.median_raw_ns = 1900;
  a.contended = b.contended = 1;
  a.fresh_ns = 1850, a.fresh_unc_ns = 5000;
  ASSERT_EQ_INT(record_unproven(&a, &b), 0);
  b.median_raw_ns = 100000;
  ASSERT_EQ_INT(record_unproven(&a, &b), 0);
  a.fresh_ns = 20000;
  ASSERT_EQ_INT(record_unproven(&a, &b), UNPROVEN_BIT(UNPROVEN_REUSE));
  ASSERT_EQ_INT(record_unproven(&b, &a), 0);
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), UNPROVEN_BIT(UNPROVEN_REUSE));
  ASSERT_EQ_INT(record_word_taken(VERDICT_SLOWER, &b, &a), UNPROVEN_BIT(UNPROVEN_REUSE));
  a.contended = 0;
  ASSERT_EQ_INT(record_unproven(&a, &b), 0);
  record_set(&a.provider, "guest"); /* for rows of two plugins, reuse must be ruled out as on a quiet machine */
  record_set(&b.provider, "owner");
  a.contended = 1;
  a.fresh_ns = 1850;
  ASSERT_EQ_INT(record_unproven(&a, &b), UNPROVEN_BIT(UNPROVEN_REUSE));
  end();
}

static void a_tolerance_used_up_is_a_reason(void) {
  const double tolerance = 1e-4;
  begin();
  errors(2e-5, 1e-7, tolerance);
  ASSERT_EQ_INT(record_unproven(&a, &b), UNPROVEN_BIT(UNPROVEN_ERROR));
  ASSERT_EQ_INT(record_unproven(&b, &a), 0);
  errors(2e-5, 3e-7, tolerance); /* the error of `a` is only 67 times that of `b` */
  ASSERT_EQ_INT(record_unproven(&a, &b), 0);
  errors(9e-6, 1e-8, tolerance); /* the error of `a` is less than a tenth of the tolerance */
  ASSERT_EQ_INT(record_unproven(&a, &b), 0);
  errors(2e-5, 0, tolerance); /* `b` has no error at all */
  ASSERT_EQ_INT(record_unproven(&a, &b), UNPROVEN_BIT(UNPROVEN_ERROR));
  errors((double)NAN, 1e-7, tolerance);
  ASSERT_EQ_INT(record_unproven(&a, &b), 0);
  errors(2e-5, (double)NAN, tolerance);
  ASSERT_EQ_INT(record_unproven(&a, &b), 0);
  end();
}

static void fresh(struct record *row, double median, double ns, double unc) {
  row->median_raw_ns = median;
  row->fresh_ns = ns;
  row->fresh_unc_ns = unc;
}

/* If `a` is faster than `b` on inputs that were seen before, it must be faster on new inputs by about the same factor.
 * Otherwise it may reuse results. Differences within noise, or within the effect of writing inputs, do not count. */
static void a_gain_on_repeated_inputs_alone_is_a_reason(void) {
  static const struct {
    double median, fresh, unc, their_fresh;
    bool gains;
  } rows[] = {
      {500e3, 1000e3, 5e3, 1000e3, true},  /* `a` takes half as long as `b`, but as long as `b` on new inputs */
      {500e3, 501e3, 5e3, 1000e3, false},  /* `a` takes half as long as `b`, on new inputs too */
      {500e3, 550e3, 50e3, 1000e3, false}, /* the time on new inputs is uncertain by 50 us */
      {500e3, 550e3, 5e3, 1000e3, true},   /* on new inputs `a` is faster than `b`, but by less */
      {500e3, 550e3, 5e3, 1100e3, false},  /* both take longer */
      {500e3, 400e3, 5e3, 1000e3, false},  /* shorter on new inputs */
      {1e3, 1.25e3, 1, 1000e3, false},     /* writing inputs may explain a difference of 0.25 us */
      {500e3, 500e3, 5e3, 0, false},       /* `b` has no times on new inputs */
  };
  begin();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    fresh(&a, rows[i].median, rows[i].fresh, rows[i].unc);
    fresh(&b, 1000e3, rows[i].their_fresh > 0 ? rows[i].their_fresh : (double)NAN, 5e3);
    ASSERT_EQ_INT(record_unproven(&a, &b), rows[i].gains ? UNPROVEN_BIT(UNPROVEN_REUSE) : 0);
    ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b) != 0, rows[i].gains);
    ASSERT_EQ_INT(record_word_taken(VERDICT_SLOWER, &b, &a) != 0, rows[i].gains);
  }
  end();
}

/* Between rows of two plugins there is no verdict if it is unknown how much time the reuse of results may save
 * (`hidden`, a share), or if that may be too large a part of the gain. */
static void words_of_two_providers_need_a_bound_of_reuse(void) {
  static const struct {
    double median, fresh, unc, hidden;
    bool taken;
  } rows[] = {
      {500e3, NAN, NAN, NAN, true},     /* it is unknown how much reuse may save */
      {500e3, NAN, NAN, 0.2, false},    /* reuse may save 20%: 0.22 of the gain of 0.69, as natural logarithms */
      {500e3, NAN, NAN, 0.33, true},    /* reuse may save 33%: 0.40 of the gain of 0.69, which is more than half */
      {950e3, NAN, NAN, 0.03, false},   /* up to 5% may be saved */
      {950e3, NAN, NAN, 0.06, true},    /* more than 5% may be saved */
      {500e3, 505e3, 5e3, NAN, false},  /* the gain exists on new inputs, too */
      {500e3, 505e3, 5e3, 0.9, false},  /* the same, and the bound of reuse (0.9) does not matter */
      {500e3, 505e3, 150e3, NAN, true}, /* the time on new inputs is uncertain by 150 us */
      {950e3, 955e3, 10e3, NAN, false}, {950e3, 955e3, 60e3, NAN, true},
      {2000e3, NAN, NAN, NAN, false}, /* `a` is slower, so there is no gain that reuse could explain */
  };
  begin();
  record_set(&a.provider, "guest");
  record_set(&b.provider, "owner");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const uint32_t wanted = rows[i].taken ? UNPROVEN_BIT(UNPROVEN_REUSE) : 0;
    const enum verdict word = rows[i].median < 1000e3 ? VERDICT_FASTER : VERDICT_SLOWER;
    record_set(&a.unproven, "reuse");
    fresh(&a, rows[i].median, rows[i].fresh, rows[i].unc);
    fresh(&b, 1000e3, 1000e3, 5e3);
    a.reuse_limit = rows[i].hidden;
    ASSERT_EQ_INT(record_word_taken(word, &a, &b), wanted);
    record_set(&b.unproven, "reuse"); /* that `b` may reuse results as well does not help `a` */
    fresh(&b, 1000e3, NAN, NAN);
    ASSERT_EQ_INT(record_word_taken(word, &a, &b), word == VERDICT_FASTER ? wanted : UNPROVEN_BIT(UNPROVEN_REUSE));
    record_set(&b.unproven, NULL);
  }
  a.derived = 1; /* `a` is derived: its `prepare` reads inputs; then the reason "reuse" removes no verdict */
  a.median_raw_ns = 500e3;
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), 0);
  a.derived = -1;
  record_set(&b.provider, "guest"); /* now both rows are from one plugin, and both may reuse results */
  record_set(&b.unproven, "reuse");
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), 0);
  end();
}

static uint32_t untimed(double own_ns, double untimed_own, double their_ns, double untimed_theirs) {
  a.median_raw_ns = own_ns;
  a.untimed_ns = untimed_own;
  b.median_raw_ns = their_ns;
  b.untimed_ns = untimed_theirs;
  return record_unproven(&a, &b);
}

static void what_is_not_timed_is_a_reason(void) {
  enum { UNTIMED = UNPROVEN_BIT(UNPROVEN_UNTIMED) };
  const double none = (double)NAN;
  begin();
  ASSERT_EQ_INT(untimed(100, none, 200, none), 0);
  ASSERT_EQ_INT(untimed(100, 0, 200, none), 0);
  ASSERT_EQ_INT(untimed(100, 40, 200, none), 0);
  /* untimed work explains more than half of the gain, in logarithms */
  ASSERT_EQ_INT(untimed(100, 42, 200, none), UNTIMED);
  ASSERT_EQ_INT(untimed(100, 49, 1000, none), 0);
  /* the untimed work exceeds half of the row's own time, which no gain justifies */
  ASSERT_EQ_INT(untimed(100, 51, 1000, none), UNTIMED);
  ASSERT_EQ_INT(untimed(100, 4, 110, none), 0);
  ASSERT_EQ_INT(untimed(100, 6, 110, none), UNTIMED);
  ASSERT_EQ_INT(untimed(100, 0.4, 100, none), 0);
  /* between rows with equal times, half a percent of untimed work is allowed */
  ASSERT_EQ_INT(untimed(100, 0.6, 100, none), UNTIMED);
  ASSERT_EQ_INT(untimed(100, 60, 99, none), 0); /* the row is slower, so untimed work did not help it */
  ASSERT_EQ_INT(untimed(100, 60, 200, 30), 0);  /* up to twice the untimed work of the other row is allowed */
  ASSERT_EQ_INT(untimed(100, 105, 200, 30), UNTIMED);
  ASSERT_EQ_INT(record_unproven(&b, &a), 0);
  record_set(&a.unproven, "untimed"); /* recorded for another baseline; untimed_ns counts for this one */
  ASSERT_EQ_INT(untimed(100, 20, 200, none), 0);
  ASSERT_EQ_INT(untimed(100, none, 200, none), UNTIMED); /* without a bound */
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), UNTIMED);
  record_set(&b.unproven, "untimed");
  ASSERT_EQ_INT(record_word_taken(VERDICT_FASTER, &a, &b), 0);
  ASSERT_EQ_INT(untimed(100, 90, 200, none), 0); /* the other row may have saved more */
  end();
}

UNIT_MAIN("row_unproven", UNIT_TEST(what_is_not_timed_is_a_reason), UNIT_TEST(fewer_bits_are_a_reason),
          UNIT_TEST(of_two_rows_anew), UNIT_TEST(words_are_taken_from_either_side),
          UNIT_TEST(a_tolerance_used_up_is_a_reason), UNIT_TEST(busy_rows_that_lead_by_reuse),
          UNIT_TEST(a_gain_on_repeated_inputs_alone_is_a_reason),
          UNIT_TEST(words_of_two_providers_need_a_bound_of_reuse),
          UNIT_TEST(what_all_could_foresee_is_held_against_guests))
