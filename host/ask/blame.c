/* The tables of blame.h. */
#include "ask/blame.h"

#include "base/memory.h"
#include "plan/build.h"

/* What is known of a worker that is gone. */
struct facts {
  bool sure;
  bool turn;    /* it was in a variant's turn */
  bool settled; /* whose fate is settled already */
  bool idle;    /* no callback was running */
};

enum blame { BLAME_IT, BLAME_ALL, SUSPECT_IT, SUSPECT_ALL };

/* The first table. */
static enum blame judge(const struct facts *f) {
  if (f->turn && !f->settled) return f->sure ? BLAME_IT : SUSPECT_IT;
  if (f->sure) return BLAME_ALL;
  return f->turn || f->idle ? SUSPECT_ALL : BLAME_ALL;
}

/* Only what it was suspected of first counts. */
static void suspect(struct epoch *e, uint32_t place, enum row_status status, const char *text) {
  size_t i = e->asked[place];
  if (!e->result->variants[i].settled && e->doubts[i].text == NULL)
    e->doubts[i] = (struct doubt){status, xstrdup(text)};
}

bool blame_is_suspect(const struct epoch *e, uint32_t place) {
  return e->asked[place] != e->apart && e->doubts[e->asked[place]].text != NULL;
}

void blame_hold(const struct epoch *e, size_t index) {
  const struct doubt *doubt = &e->doubts[index];
  if (doubt->text != NULL) variant_result_settle(&e->result->variants[index], doubt->status, doubt->text);
}

bool blame_another(struct epoch *e, const struct variant_report *report) {
  bool another = report->status == ROW_ERROR && e->failed && e->apart == SIZE_MAX;
  e->failed = e->failed || report->status == ROW_ERROR;
  if (another) suspect(e, report->variant, ROW_ERROR, report->message);
  return another;
}

/* The place in the request of whose turn it was; -1: nobody's. */
static int turn_of(const struct epoch *e, const struct ending *ending) {
  for (uint32_t i = 0; i < e->request->variant_count && e->apart != SIZE_MAX; i++)
    if (e->asked[i] == e->apart) return (int)i;
  return ending->variant >= 0 && (uint32_t)ending->variant < e->request->variant_count ? ending->variant : -1;
}

void blame_for_death(struct epoch *e, const struct ending *ending) {
  char text[MSG_SIZE];
  struct ending told = *ending;
  enum row_status status = ending->kind == ENDING_TIMEOUT ? ROW_TIMEOUT : ROW_CRASHED;
  told.variant = turn_of(e, ending);
  const struct facts facts = {.sure = e->apart != SIZE_MAX || status == ROW_TIMEOUT || e->request->variant_count == 1,
                              .turn = told.variant >= 0,
                              .settled = told.variant >= 0 && epoch_result(e, (uint32_t)told.variant)->settled,
                              .idle = ending->phase == PHASE_IDLE};
  enum blame blame = judge(&facts);
  bool all = blame == BLAME_ALL || blame == SUSPECT_ALL, sure = blame == BLAME_IT || blame == BLAME_ALL;
  epoch_sentence(e, &told, text, sizeof text);
  for (uint32_t i = 0; i < e->request->variant_count; i++) {
    if (!all && (int)i != told.variant) continue;
    if (sure)
      variant_result_settle(epoch_result(e, i), status, text);
    else
      suspect(e, i, status, text);
  }
}

static bool any_settled(const struct epoch *e) {
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (epoch_result(e, i)->settled) return true;
  return false;
}

void blame_for_failure(struct epoch *e, const struct ending *ending) {
  if (any_settled(e) || ending_lost_device(ending)) return;
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    variant_result_settle(epoch_result(e, i), ROW_ERROR, ending->err.text);
}

/* Is it what somebody else who is still to be measured is compared with? */
static bool serves_others(const struct epoch *e, size_t i) {
  for (size_t j = 0; j < e->result->count; j++)
    if (j != i && !e->result->variants[j].settled && plan_serves(e->plan_case, i, j)) return true;
  return false;
}

bool blame_choose(struct epoch *e) {
  size_t suspected = SIZE_MAX;
  bool others = false, needed = false;
  for (size_t i = 0; i < e->result->count; i++) {
    if (e->result->variants[i].settled) continue;
    if (e->doubts[i].text == NULL) others = true;
    if (e->doubts[i].text == NULL || needed) continue;
    needed = serves_others(e, i);
    if (suspected == SIZE_MAX || needed) suspected = i;
  }
  e->apart = others && !needed ? SIZE_MAX : suspected;
  return others || suspected != SIZE_MAX;
}
