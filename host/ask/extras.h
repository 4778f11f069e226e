/* What the draft services of a variant hand to the parent, beside its times: notes, metrics, a timeline. Checks all of
 * it. */
#ifndef ASK_EXTRAS_H
#define ASK_EXTRAS_H

#include "model/message.h"

struct epoch_metric {
  uint32_t epoch;
  struct metric_result result;
};

struct variant_extras {
  struct note_list notes;
  struct epoch_metric *metrics; /* owned; of all processes that count, in their order */
  size_t metric_count;
  struct timeline timeline; /* of the last process that gave one */
  uint32_t timeline_epoch;
};

/* Is it one of theirs? Then `*variant` is the place it is for, still to be checked. */
bool extras_is(const struct message *message, uint32_t *variant);
void extras_take(struct variant_extras *extras, const struct message *message, uint32_t epoch);
/* Of this process and later ones; 0: all. */
void extras_drop(struct variant_extras *extras, uint32_t from_epoch);

#endif
