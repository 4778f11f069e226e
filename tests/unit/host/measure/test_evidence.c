/* Surprises in slots on a processor. */
#include "measure/surprise.h"

#include "fixture_case.h"

enum { SAMPLES = 4 };

struct stage {
  struct bed bed;
  struct case_request request;
  struct variant variant;
  struct contestant k;
  struct measurement m;
};

static void stage_open(struct stage *s) {
  const int64_t length = 4096;
  *s = (struct stage){.request = {.mode = {TIMING_HOT, LOAD_PLAIN}}};
  bed_open(&s->bed);
  const gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_F32, &length);
  ASSERT_EQ_STR(bed_declare(&s->bed, x), "");
  s->k = (struct contestant){.c = s->bed.c, .variant = &s->variant, .replicas = 1, .slot_size = SAMPLES};
  s->m = (struct measurement){.c = s->bed.c,
                              .request = &s->request,
                              .contestants = &s->k,
                              .count = 1,
                              .replicas = 1,
                              .started_ns = 1,
                              .secret = 5};
}

static void stage_close(struct stage *s) {
  contestant_free(&s->k);
  bed_close(&s->bed);
}

/* What comes behind a surprise may put right what was wrong. */
static void every_second_surprise_ends_its_slot(void) {
  struct stage s;
  int ends = 0, count = 1000;
  stage_open(&s);
  const struct trial trial = {.to = 7, .judged = true};
  for (int i = 0; i < count; i++)
    ends += surprise_choose(&s.m, &s.k, &trial).ends;
  ASSERT_TRUE(ends > 400 && ends < 600);
  stage_close(&s);
}

UNIT_MAIN("evidence", UNIT_TEST(every_second_surprise_ends_its_slot))
