/* Takes notes, metrics and timelines from a worker, which runs plugin code. */
#include "ask/extras.h"

#include "base/memory.h"

#include <string.h>

bool extras_is(const struct message *message, uint32_t *variant) {
  bool sized = message->type == MSG_NOTES     ? message->size == sizeof(struct notes_message)
               : message->type == MSG_METRICS ? message->size == sizeof(struct metrics_message)
               : message->type == MSG_SPANS   ? message->size >= offsetof(struct spans_message, spans)
                                              : false;
  /* the index of the variant is the first member of all three messages */
  if (sized) memcpy(variant, message->payload, sizeof *variant);
  return sized;
}

static void take_notes(struct variant_extras *extras, const struct message *message) {
  struct notes_message from;
  memcpy(&from, message->payload, sizeof from);
  for (uint32_t i = 0; note_check(&from.notes) && i < from.notes.count; i++) {
    struct note *note = note_place(&extras->notes, from.notes.notes[i].key);
    if (note != NULL) *note = from.notes.notes[i];
  }
}

static bool has_metric(const struct variant_extras *extras, uint32_t epoch, const char *name) {
  for (size_t i = 0; i < extras->metric_count; i++)
    if (extras->metrics[i].epoch == epoch && strcmp(extras->metrics[i].result.desc.name, name) == 0) return true;
  return false;
}

static void take_metrics(struct variant_extras *extras, const struct message *message, uint32_t epoch) {
  SCOPED struct metrics_message *from = xcalloc(1, sizeof *from);
  memcpy(from, message->payload, sizeof *from);
  for (uint32_t i = 0; i < from->count && i < METRICS_MAX; i++) {
    struct metric_result *result = &from->results[i];
    const bool counts = metric_check(result) || (metric_lost(result) && text_is_id(result->desc.name));
    if (!counts || has_metric(extras, epoch, result->desc.name)) continue;
    extras->metrics = xrealloc(extras->metrics, extras->metric_count + 1, sizeof *extras->metrics);
    extras->metrics[extras->metric_count++] = (struct epoch_metric){epoch, *result};
  }
}

static void take_spans(struct variant_extras *extras, const struct message *message, uint32_t epoch) {
  SCOPED struct spans_message *from = xcalloc(1, sizeof *from);
  bool fits = message->size <= sizeof *from;
  if (fits) memcpy(from, message->payload, message->size);
  fits = fits && from->count <= TIMELINE_PORTION &&
         message->size == offsetof(struct spans_message, spans) + from->count * sizeof *from->spans;
  if (fits && from->first == 0) timeline_free(&extras->timeline);
  for (uint32_t i = 0; fits && i < from->count; i++)
    if (timeline_check(&from->spans[i])) timeline_add(&extras->timeline, &from->spans[i]);
  if (fits && from->first == 0) extras->timeline.dropped += from->dropped;
  if (fits) extras->timeline_epoch = epoch;
}

void extras_take(struct variant_extras *extras, const struct message *message, uint32_t epoch) {
  if (message->type == MSG_NOTES) take_notes(extras, message);
  if (message->type == MSG_METRICS) take_metrics(extras, message, epoch);
  if (message->type == MSG_SPANS) take_spans(extras, message, epoch);
}
