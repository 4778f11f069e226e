#include "summary/bench.h"

#include "base/memory.h"
#include "sample_rich.h"
#include "summary/summary.h"
#include "unit.h"

struct fixture {
  struct run_data data;
  struct run_summary summary;
  struct facets facets;
};

static void set_up(struct fixture *f, const char *const *axes, size_t count, size_t most) {
  f->data = (struct run_data){.records = xcalloc(count, sizeof *f->data.records), .count = count};
  for (size_t i = 0; i < count; i++)
    sample_rich_identity(&f->data.records[i], "b/b", axes[i], "naive", "cold");
  summary_build(&f->data, &f->summary);
  facets_build(&f->summary.benches[0], most, &f->facets);
}

static void tear_down(struct fixture *f) {
  facets_free(&f->facets);
  summary_free(&f->summary);
  run_data_free(&f->data);
}

static void one_axis_of_numbers(void) {
  static const char *const axes[] = {"m=1;n=4096", "m=1;n=1024", "m=1;n=65536", "m=1;n=16384"};
  struct fixture f;
  set_up(&f, axes, 4, 1);
  ASSERT_EQ_STR(f.facets.axis, "n");
  ASSERT_EQ_INT(f.facets.count, 1);
  ASSERT_EQ_STR(f.facets.items[0].label, "");
  for (size_t i = 1; i < 4; i++) /* sorted */
    ASSERT_NEAR(f.facets.items[0].x[i], 4 * f.facets.items[0].x[i - 1], 0);
  ASSERT_TRUE(f.facets.items[0].cases[0] == &f.summary.benches[0].cases[1]);
  tear_down(&f);
}

static void what_else_varies_makes_facets(void) {
  static const char *const axes[] = {"n=1;d=a", "n=2;d=a", "n=3;d=a", "n=1;d=b", "n=2;d=b", "n=3;d=b"};
  struct fixture f;
  set_up(&f, axes, 6, 6);
  ASSERT_EQ_STR(f.facets.axis, "n");
  ASSERT_EQ_INT(f.facets.count, 2);
  ASSERT_EQ_STR(f.facets.items[1].label, "d=b");
  ASSERT_EQ_INT(f.facets.items[1].count, 3);
  tear_down(&f);
  set_up(&f, axes, 6, 1); /* now only one facet (a part of the chart) is allowed, but two are needed */
  ASSERT_TRUE(f.facets.axis == NULL);
  ASSERT_EQ_INT(f.facets.count, 1);
  ASSERT_TRUE(f.facets.items[0].x == NULL);
  ASSERT_EQ_INT(f.facets.items[0].count, 6);
  tear_down(&f);
}

static void assert_categories(const char *const *axes, size_t count) {
  struct fixture f;
  set_up(&f, axes, count, 6);
  ASSERT_TRUE(f.facets.axis == NULL && f.facets.items[0].x == NULL);
  ASSERT_EQ_INT(f.facets.items[0].count, count);
  tear_down(&f);
}

static void else_categories(void) {
  assert_categories((const char *const[]){"n=1", "n=2"}, 2);        /* two cases are too few for a numeric axis */
  assert_categories((const char *const[]){"n=1", "n=2", "n=x"}, 3); /* not numeric */
  assert_categories((const char *const[]){"n=1;m=5", "n=2;m=6", "n=3;m=7"},
                    3); /* each case would be the only one of its facet (a part of the chart) */
  assert_categories((const char *const[]){"n=1", "n=2", "n=1.0", "n=3"}, 4); /* two of the values are the same number */
  assert_categories((const char *const[]){"n=1", "n=2", "n=1e999"}, 3);      /* too large for a number */
  assert_categories((const char *const[]){"n=1"}, 1);
}

UNIT_MAIN("html_facets", UNIT_TEST(one_axis_of_numbers), UNIT_TEST(what_else_varies_makes_facets),
          UNIT_TEST(else_categories))
