/* Checks the guards (known bytes) around memory that plugins got from the host by gb.mem, the service for memory. */
#include "measure/audit/overruns.h"

#include <stdio.h>

#include "case/calls.h"

static struct contestant *responsible(const struct measurement *m, struct contestant *only, const struct overrun *o) {
  if (only != NULL) return only;
  return o->owner >= 0 && (uint32_t)o->owner < m->count ? &m->contestants[o->owner] : NULL;
}

/* Returns the owner of the overrun memory as a message names it: "it", "the bench" or the name of another variant. */
static const char *overrun_owner(const struct measurement *m, const struct contestant *k, const struct overrun *o) {
  if (o->owner == OWNER_BENCH) return "the bench";
  return (uint32_t)o->owner == k->index ? "it" : m->contestants[o->owner].name;
}

int overruns_look(struct measurement *m, struct contestant *only, enum guards_reach reach, struct err *err) {
  struct overrun o;
  if (guards_look(m->c, reach, &o, err) != 0) return -1;
  if (o.changed == 0) return 0;
  struct contestant *k = responsible(m, only, &o);
  if (k == NULL) {
    char text[KEY_SIZE + 64];
    snprintf(text, sizeof text, "%s: memory of the bench was overrun; in whose turn is not known", m->c->key);
    if (case_warn != NULL) case_warn(text);
    return 0;
  }
  contestant_break(k, RULE_BOUNDS, ROW_WRONG,
                   "wrote outside the %llu bytes that %s has from gb.mem: %llu bytes beside them changed, the first at "
                   "byte %lld",
                   (unsigned long long)o.bytes, overrun_owner(m, k, &o), (unsigned long long)o.changed,
                   (long long)o.first);
  measure_tell(m, k);
  return 0;
}
