/* Tests comparisons between all variants: verdicts from rows and samples, and the transitive reduction. */
#include "summary/pairwise.h"

#include <stdlib.h>

#include "base/memory.h"
#include "unit.h"

/* ---- Reduction ---- */

enum { MOST = 8 };

static bool reach(const bool *edges, size_t n, size_t from, size_t to) {
  bool seen[MOST] = {false};
  size_t stack[MOST], top = 0;
  stack[top++] = from;
  while (top > 0) {
    size_t at = stack[--top];
    for (size_t next = 0; next < n; next++) {
      if (!edges[at * n + next]) continue;
      if (next == to) return true;
      if (!seen[next]) stack[top++] = next;
      seen[next] = true;
    }
  }
  return false;
}

static size_t count_edges(const bool *edges, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n * n; i++)
    count += edges[i];
  return count;
}

static void a_chain_loses_its_shortcuts(void) {
  enum { N = 4 };
  bool edges[N * N] = {false}, kept[N * N];
  for (size_t a = 0; a < N; a++)
    for (size_t b = a + 1; b < N; b++)
      edges[a * N + b] = true;
  pairwise_reduce(edges, N, kept);
  ASSERT_EQ_INT(count_edges(kept, N), 3);
  ASSERT_TRUE(kept[0 * N + 1] && kept[1 * N + 2] && kept[2 * N + 3]);
}

static void a_diamond_keeps_its_sides(void) {
  enum { N = 4 };
  bool edges[N * N] = {false}, kept[N * N];
  edges[0 * N + 1] = edges[0 * N + 2] = edges[1 * N + 3] = edges[2 * N + 3] = edges[0 * N + 3] = true;
  pairwise_reduce(edges, N, kept);
  ASSERT_EQ_INT(count_edges(kept, N), 4);
  ASSERT_TRUE(!kept[0 * N + 3]);
}

/* Verdicts of different cases may form a cycle, in which no edge is redundant. */
static void a_circle_stays(void) {
  enum { N = 4 };
  bool edges[N * N] = {false}, kept[N * N];
  edges[0 * N + 1] = edges[1 * N + 2] = edges[2 * N + 0] = true;
  /* each variant of the cycle is also faster than variant 3 */
  edges[0 * N + 3] = edges[1 * N + 3] = edges[2 * N + 3] = true;
  pairwise_reduce(edges, N, kept);
  ASSERT_TRUE(kept[0 * N + 1] && kept[1 * N + 2] && kept[2 * N + 0]);
  ASSERT_EQ_INT(count_edges(kept, N), 4); /* the three edges of the cycle, and one of the edges to variant 3 */
}

/* On random graphs the reduction keeps reachability; without a cycle it leaves no redundant edge. */
static void random_graphs_keep_who_reaches_whom(void) {
  unsigned state = 12345;
  for (int round = 0; round < 3000; round++) {
    size_t n = 2 + (size_t)round % (MOST - 1);
    bool edges[MOST * MOST] = {false}, kept[MOST * MOST];
    bool acyclic = round % 2 == 0;
    for (size_t a = 0; a < n; a++)
      for (size_t b = 0; b < n; b++) {
        state = state * 1103515245u + 12345u;
        if (a != b && (!acyclic || a < b)) edges[a * n + b] = (state >> 16) % 3 == 0;
      }
    pairwise_reduce(edges, n, kept);
    for (size_t a = 0; a < n; a++)
      for (size_t b = 0; b < n; b++) {
        if (kept[a * n + b] && !edges[a * n + b]) UNIT_FAIL("round %d: an edge came from nowhere", round);
        if (a != b && reach(kept, n, a, b) != reach(edges, n, a, b)) UNIT_FAIL("round %d: reachability", round);
        if (!acyclic || !kept[a * n + b]) continue;
        kept[a * n + b] = false;
        if (reach(kept, n, a, b)) UNIT_FAIL("round %d: %zu to %zu follows from others", round, a, b);
        kept[a * n + b] = true;
      }
  }
  UNIT_PASS();
}

/* ---- Verdicts ---- */

enum { CASES = 2, VARIANTS = 3, ROUNDS = 12 };

struct bed {
  struct run_data data;
  struct record rows[CASES][VARIANTS];
  const struct record *pointers[CASES][VARIANTS];
  const char *names[VARIANTS];
  struct run_case cases[CASES];
  struct run_bench bench;
};

static void set_row(struct bed *bed, size_t c, size_t v, double ns, double speedup, const char *verdict) {
  struct record *row = &bed->data.records[c * VARIANTS + v];
  record_set(&row->status, "ok");
  row->median_raw_ns = ns;
  row->speedup = speedup;
  record_set(&row->verdict, verdict);
}

/* Adds samples of a variant, steady around `ns`. */
static void set_samples(struct bed *bed, size_t c, size_t v, double ns) {
  const struct record *row = &bed->data.records[c * VARIANTS + v];
  struct run_samples *samples = run_data_add_samples(&bed->data, 0, row->case_key, row->variant, row->mode);
  samples->slots = xcalloc(ROUNDS, sizeof *samples->slots);
  samples->ns = xcalloc(ROUNDS, sizeof *samples->ns);
  samples->count = samples->ns_count = ROUNDS;
  for (size_t r = 0; r < ROUNDS; r++) {
    samples->ns[r] = ns * (1 + 0.0005 * (double)(r % 3));
    samples->slots[r] = (struct slot){.epoch = 1, .round = (uint32_t)r, .count = 1, .ns = &samples->ns[r]};
  }
}

static void bed_open(struct bed *bed) {
  static const char *const keys[CASES] = {"p/b[n=1]", "p/b[n=2]"};
  *bed = (struct bed){.names = {"base", "x", "y"}};
  bed->data.records = xcalloc(CASES * VARIANTS, sizeof *bed->data.records);
  bed->data.count = CASES * VARIANTS;
  bed->bench = (struct run_bench){
      .name = "p/b", .variants = bed->names, .variant_count = VARIANTS, .cases = bed->cases, .case_count = CASES};
  for (size_t c = 0; c < CASES; c++) {
    for (size_t v = 0; v < VARIANTS; v++) {
      struct record *row = &bed->data.records[c * VARIANTS + v];
      record_init(row);
      record_set(&row->case_key, keys[c]);
      record_set(&row->variant, bed->names[v]);
      record_set(&row->mode, "cold");
      record_set(&row->status, "skipped");
      bed->pointers[c][v] = row;
    }
    bed->cases[c] = (struct run_case){.key = keys[c], .rows = bed->pointers[c], .base = bed->pointers[c][0]};
  }
}

static void bed_close(struct bed *bed, struct pairwise *pairwise) {
  pairwise_free(pairwise);
  run_data_free(&bed->data);
}

static bool edge(const struct pairwise *pairwise, size_t a, size_t b) {
  return pairwise->edges[a * pairwise->count + b];
}

static void rows_speak_against_the_baseline(void) {
  struct bed bed;
  struct pairwise pairwise;
  bed_open(&bed);
  set_row(&bed, 0, 0, 100, 1, "");
  set_row(&bed, 0, 1, 50, 2, "faster");
  set_row(&bed, 0, 2, 400, 0.25, "slower");
  set_row(&bed, 1, 0, 100, 1, "");
  set_row(&bed, 1, 1, 12.5, 8, "faster");
  set_row(&bed, 1, 2, 100, 1, "same");
  pairwise_build(&bed.data, &bed.bench, &pairwise);
  ASSERT_TRUE(edge(&pairwise, 1, 0) && !edge(&pairwise, 0, 1));
  ASSERT_NEAR(pairwise_ratio(pairwise_pair(&pairwise, 1, 0)), 4, 1e-12);
  ASSERT_NEAR(pairwise_ratio(pairwise_pair(&pairwise, 0, 1)), 0.25, 1e-12);
  ASSERT_TRUE(edge(&pairwise, 0, 2));
  ASSERT_EQ_INT(pairwise_pair(&pairwise, 0, 2)->faster, 1);
  ASSERT_EQ_INT(pairwise_pair(&pairwise, 0, 2)->same, 1);
  ASSERT_NEAR(pairwise_ratio(pairwise_pair(&pairwise, 0, 2)), 2, 1e-12);
  ASSERT_TRUE(!edge(&pairwise, 1, 2)); /* these two variants have no samples, so they cannot be compared */
  ASSERT_EQ_INT(pairwise_cases(pairwise_pair(&pairwise, 1, 2)), 0);
  ASSERT_EQ_INT(pairwise.compared, 2);
  bed_close(&bed, &pairwise);
}

static void samples_speak_between_the_others(void) {
  struct bed bed;
  struct pairwise pairwise;
  bed_open(&bed);
  set_row(&bed, 0, 0, 100, 1, "");
  set_row(&bed, 0, 1, 50, 2, "faster");
  set_row(&bed, 0, 2, 75, 1.333, "faster");
  set_samples(&bed, 0, 1, 50000);
  set_samples(&bed, 0, 2, 75000);
  pairwise_build(&bed.data, &bed.bench, &pairwise);
  ASSERT_TRUE(edge(&pairwise, 1, 2));
  ASSERT_NEAR(pairwise_ratio(pairwise_pair(&pairwise, 1, 2)), 1.5, 1e-3);
  ASSERT_TRUE(pairwise.shown[1 * VARIANTS + 2] && pairwise.shown[2 * VARIANTS + 0] &&
              !pairwise.shown[1 * VARIANTS + 0]);
  bed_close(&bed, &pairwise);
}

static void equal_samples_make_no_arrow(void) {
  struct bed bed;
  struct pairwise pairwise;
  bed_open(&bed);
  set_row(&bed, 0, 1, 50, 2, "faster");
  set_row(&bed, 0, 2, 50, 2, "faster");
  set_samples(&bed, 0, 1, 50000);
  set_samples(&bed, 0, 2, 50000);
  pairwise_build(&bed.data, &bed.bench, &pairwise);
  ASSERT_EQ_INT(pairwise_pair(&pairwise, 1, 2)->same, 1);
  ASSERT_EQ_INT(count_edges(pairwise.edges, VARIANTS), 0);
  bed_close(&bed, &pairwise);
}

static void cases_that_disagree_make_no_arrow(void) {
  struct bed bed;
  struct pairwise pairwise;
  bed_open(&bed);
  set_row(&bed, 0, 0, 100, 1, "");
  set_row(&bed, 0, 1, 10, 10, "faster");
  set_row(&bed, 1, 0, 100, 1, "");
  set_row(&bed, 1, 1, 101, 0.99, "slower");
  pairwise_build(&bed.data, &bed.bench, &pairwise);
  ASSERT_EQ_INT(pairwise_pair(&pairwise, 1, 0)->faster, 1);
  ASSERT_EQ_INT(pairwise_pair(&pairwise, 1, 0)->slower, 1);
  ASSERT_EQ_INT(count_edges(pairwise.edges, VARIANTS), 0);
  bed_close(&bed, &pairwise);
}

/* Rows that are wrong are not compared, nor are verdicts without a number. */
static void failures_say_nothing(void) {
  struct bed bed;
  struct pairwise pairwise;
  bed_open(&bed);
  set_row(&bed, 0, 0, 100, 1, "");
  set_row(&bed, 0, 1, 10, 10, "faster");
  record_set(&bed.data.records[1].status, "wrong");
  set_row(&bed, 0, 2, 10, (double)NAN, "faster");
  set_row(&bed, 1, 0, 100, 1, "");
  set_row(&bed, 1, 1, 10, 10, "quicker"); /* a verdict that only another version of gpubench knows */
  set_row(&bed, 1, 2, 10, (double)INFINITY, "faster");
  pairwise_build(&bed.data, &bed.bench, &pairwise);
  ASSERT_EQ_INT(pairwise.compared, 0);
  ASSERT_EQ_INT(count_edges(pairwise.edges, VARIANTS), 0);
  bed_close(&bed, &pairwise);
}

/* The number of computed ratios is limited, so only a part of the cases is compared, spread evenly over all. */
static void of_very_many_cases_some_are_compared(void) {
  enum { MANY = 20000 };
  struct bed bed;
  struct pairwise pairwise;
  bed_open(&bed);
  struct run_case *cases = xcalloc(MANY, sizeof *cases);
  for (size_t i = 0; i < MANY; i++)
    cases[i] = bed.cases[i < MANY / 2 ? 0 : 1];
  bed.bench.cases = cases;
  bed.bench.case_count = MANY;
  set_row(&bed, 0, 1, 50, 2, "faster");
  set_row(&bed, 0, 2, 75, 1.333, "faster");
  set_row(&bed, 1, 1, 50, 2, "faster");
  set_row(&bed, 1, 2, 75, 1.333, "faster");
  for (size_t c = 0; c < CASES; c++) {
    set_samples(&bed, c, 1, 50000);
    set_samples(&bed, c, 2, 75000);
  }
  pairwise_build(&bed.data, &bed.bench, &pairwise);
  ASSERT_EQ_INT(pairwise.cases, 5000);
  ASSERT_EQ_INT(pairwise_pair(&pairwise, 1, 2)->faster, 5000);
  bed_close(&bed, &pairwise);
  free(cases);
}

/* A difference of 4% whose 99% interval begins at 2% gets a verdict if it is the only one. Among 300 cases it may be
 * due to chance. */
static void samples_share_an_error(void) {
  enum { MANY = 300 };
  struct bed bed;
  struct pairwise pairwise;
  struct ratio ratio;
  bed_open(&bed);
  struct run_case *cases = xcalloc(MANY, sizeof *cases);
  for (size_t i = 0; i < MANY; i++)
    cases[i] = bed.cases[i > 0];
  for (size_t c = 0; c < CASES; c++)
    for (size_t v = 1; v < VARIANTS; v++) {
      set_row(&bed, c, v, 50, 1, "same");
      set_samples(&bed, c, v, c == 0 && v == 2 ? 52000 : 50000);
    }
  const struct run_samples *x = run_data_samples_of(&bed.data, &bed.data.records[1]),
                           *y = run_data_samples_of(&bed.data, &bed.data.records[2]);
  for (size_t r = 0; r < ROUNDS; r++)
    y->ns[r] *= 1 + 0.012 * (double)((int)(r * 7 % 5) - 2) / 2;
  ASSERT_EQ_INT(stats_ratio(y->slots, ROUNDS, x->slots, ROUNDS, 0, 1, &ratio), 0);
  ASSERT_TRUE(stats_verdict(&ratio) == VERDICT_FASTER && !stats_needs_processes(&ratio));
  ASSERT_TRUE(stats_word_p(&ratio) > STATS_FAMILY_ERROR / MANY);
  for (int many = 0; many < 2; many++) {
    bed.bench.cases = cases;
    bed.bench.case_count = many ? MANY : 1;
    pairwise_build(&bed.data, &bed.bench, &pairwise);
    ASSERT_EQ_INT(pairwise_pair(&pairwise, 1, 2)->faster, !many);
    ASSERT_EQ_INT(pairwise_pair(&pairwise, 1, 2)->undecided, many);
    ASSERT_EQ_INT(edge(&pairwise, 1, 2), !many);
    if (!many) pairwise_free(&pairwise);
  }
  bed_close(&bed, &pairwise);
  free(cases);
}

UNIT_MAIN("beats", UNIT_TEST(samples_share_an_error), UNIT_TEST(a_chain_loses_its_shortcuts),
          UNIT_TEST(a_diamond_keeps_its_sides), UNIT_TEST(a_circle_stays),
          UNIT_TEST(random_graphs_keep_who_reaches_whom), UNIT_TEST(rows_speak_against_the_baseline),
          UNIT_TEST(samples_speak_between_the_others), UNIT_TEST(equal_samples_make_no_arrow),
          UNIT_TEST(cases_that_disagree_make_no_arrow), UNIT_TEST(failures_say_nothing),
          UNIT_TEST(of_very_many_cases_some_are_compared))
