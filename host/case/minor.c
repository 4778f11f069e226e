#include "case/minor.h"

#include <stdio.h>

/* Enters `minor_of` twice, because a bench that answers differently for one case would give guests different cases in
 * each process. A wrong answer with a message is a callback that failed, such as one that raised an exception. */
void minor_ask(struct gb_case *c, uint32_t *minor, struct outcome *says) {
  const struct bench *bench = c->bench;
  *minor = 0;
  *says = (struct outcome){0};
  if (bench->own.minor_of == NULL) return;
  call_begin(c, PHASE_MINOR_OF, OWNER_BENCH);
  *minor = bench->own.minor_of(bench->theirs, c);
  const uint32_t again = bench->own.minor_of(bench->theirs, c);
  const bool good = again == *minor && again <= bench->desc.contract_minor;
  char why[MSG_SIZE];
  call_end(c, !good && said_copy(&c->said, why, sizeof why) ? GB_EFAIL : GB_OK, says);
  if (says->kind == OUTCOME_OK && good) return;
  if (says->rule == RULE_NONE) says->rule = RULE_MINORS;
  if (says->kind != OUTCOME_OK) return;
  says->kind = OUTCOME_FAIL;
  if (again != *minor)
    snprintf(says->message, sizeof says->message, "gave %u and then %u for one case", *minor, again);
  else
    snprintf(says->message, sizeof says->message, "gave %u, and contract_minor of %s is %u", again,
             bench->desc.contract, bench->desc.contract_minor);
}

bool minor_is_later(const struct variant *variant, uint32_t minor) {
  return variant->desc.bench < 0 && variant->desc.contract_minor < minor;
}

void minor_reason(const struct variant *variant, uint32_t minor, char *to, size_t size) {
  snprintf(to, size, "written for minor %u of %s; this case came with minor %u", variant->desc.contract_minor,
           variant->desc.contract, minor);
}
