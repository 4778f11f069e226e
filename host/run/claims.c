#include "run/claims.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "budget/reckon.h"
#include "model/proof/unproven.h"
#include "stats/gap.h"

double claim_shift(const struct looks *l, const struct claim *of, bool denominator) {
  const size_t i = denominator ? of->denominator : of->variant;
  return log(l->check->records[i].median_raw_ns) -
         (denominator ? of->base_log : of->own_log) / (double)(of->count > 0 ? of->count : 1);
}

/* Lists the providers that ran in the same process as the variant, except the variant's own. */
static void list_neighbours(const struct looks *l, size_t variant, char *to, size_t size) {
  const struct plan_case *p = l->check->p;
  to[0] = '\0';
  for (size_t i = 0; i < p->variant_count; i++) {
    bool told = l->check->result->variants[i].slot_count == 0 || !alone_is_between(p, i, variant);
    for (size_t j = 0; j < i; j++)
      told = told || (!alone_is_between(p, i, j) && l->check->result->variants[j].slot_count > 0);
    if (!told) phrase_add(to, size, ", ", "%s", l->check->budget->catalog->plugins[p->variants[i].plugin].desc.id);
  }
}

/* Writes the two ratios of the variants of a checked verdict: measured in one process with other providers, and
 * measured alone. Adds which of the two variants the other providers make faster or slower, and the names of these
 * providers. */
static void tell_difference(const struct looks *l, const struct claim *claim, char *to, size_t size) {
  const double base = claim_shift(l, claim, true), own = claim_shift(l, claim, false);
  const bool denominator = fabs(base) >= fabs(own);
  const size_t changed = denominator ? claim->denominator : claim->variant;
  char neighbours[TEXT_SIZE];
  list_neighbours(l, changed, neighbours, sizeof neighbours);
  snprintf(to, size, "%.3gx in company, %.3gx alone: %s takes %.3g times as long beside %s",
           l->check->records[claim->variant].speedup, exp(claim->said.theta), l->check->p->variants[changed].name,
           exp(denominator ? base : own), neighbours);
}

static void set_unproven(const struct looks *l, const struct claim *claim, struct record *r) {
  char text[2 * MSG_SIZE], names[UNPROVEN_TEXT];
  unproven_print(unproven_parse(r->unproven) | UNPROVEN_BIT(UNPROVEN_ALONE), names, sizeof names);
  record_set(&r->unproven, names);
  record_set(&r->verdict, gap_name(GAP_UNPROVEN));
  if (claim->broken)
    snprintf(text, sizeof text, "%.3gx in company; %s", r->speedup, claim->why);
  else
    tell_difference(l, claim, text, sizeof text);
  record_set(&r->message, text);
}

static void set_unchecked(const struct claim *claim, struct record *r) {
  char text[2 * MSG_SIZE];
  const bool noisy = claim->word == COMPANY_NOISY;
  record_set(&r->verdict, gap_name(GAP_ALONE));
  snprintf(text, sizeof text, "not checked alone: %s", noisy ? "its times alone lie too far apart" : claim->why);
  if (r->message == NULL) record_set(&r->message, text);
}

void claim_set_row(const struct looks *l, const struct claim *claim) {
  struct record *r = &l->check->records[claim->variant];
  r->alone_pairs = (int64_t)claim->count;
  if (claim->count > 0) r->speedup_alone = exp(claim->said.theta);
  if (claim->word == COMPANY_BREAKS || claim->broken)
    set_unproven(l, claim, r);
  else if (claim->word != COMPANY_HOLDS)
    set_unchecked(claim, r);
}
