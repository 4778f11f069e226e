/* Changes and frees the results of a case: drops samples, sets final statuses, and describes lost metrics. */
#include "model/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Sums the counts and values of one metric, that of entry `first`, over all processes. Returns false if an earlier
 * entry of the same metric lost values, because the caller has reported the metric at that entry already. */
static bool sum_metric(const struct variant_extras *extras, size_t first, struct metric_result *sum) {
  *sum = (struct metric_result){.desc = extras->metrics[first].result.desc};
  for (size_t i = 0; i < extras->metric_count; i++) {
    const struct metric_result *one = &extras->metrics[i].result;
    if (strcmp(one->desc.name, sum->desc.name) != 0) continue;
    if (i < first && metric_lost(one)) return false;
    sum->n += one->n;
    sum->dropped += one->dropped;
    sum->value += one->value; /* the sum is not finite if one value is not */
  }
  return true;
}

static int say_lost(const struct metric_result *sum, char *text, size_t size) {
  const unsigned long long all = sum->n + sum->dropped;
  if (sum->dropped > 0)
    return snprintf(text, size, "metric '%s': %llu of %llu values not finite", sum->desc.name,
                    (unsigned long long)sum->dropped, all);
  return snprintf(text, size, "metric '%s': its %s of %llu values is too large", sum->desc.name,
                  metric_aggregate_name(sum->desc.aggregate), all);
}

bool extras_lost(const struct variant_extras *extras, char *text, size_t size) {
  enum { NAMED = 3 };
  size_t lost = 0, used = 0;
  struct metric_result sum;
  text[0] = '\0';
  for (size_t i = 0; i < extras->metric_count; i++) {
    if (!metric_lost(&extras->metrics[i].result) || !sum_metric(extras, i, &sum) || lost++ >= NAMED) continue;
    if (lost > 1) used += (size_t)snprintf(text + used, size - used, "; ");
    used += (size_t)say_lost(&sum, text + used, size - used);
  }
  if (lost > NAMED) snprintf(text + used, size - used, "; and so of %zu other metrics", lost - NAMED);
  return lost > 0;
}

static void drop_extras(struct variant_extras *extras, uint32_t from_epoch) {
  while (extras->metric_count > 0 && extras->metrics[extras->metric_count - 1].epoch >= from_epoch)
    extras->metric_count--;
  if (extras->timeline_epoch >= from_epoch) timeline_free(&extras->timeline);
  if (extras->metric_count > 0) return;
  free(extras->metrics);
  extras->metrics = NULL;
}

void variant_result_rested(struct variant_result *variant) {
  size_t samples;
  const size_t rested = slots_rested(variant->slots, variant->slot_count, &samples);
  while (variant->slot_count > rested)
    free((void *)(uintptr_t)variant->slots[--variant->slot_count].ns);
  variant->discarded_samples += samples;
}

void variant_result_drop(struct variant_result *variant, uint32_t from_epoch) {
  drop_extras(&variant->extras, from_epoch);
  while (variant->slot_count > 0 && variant->slots[variant->slot_count - 1].epoch >= from_epoch)
    free((void *)(uintptr_t)variant->slots[--variant->slot_count].ns);
  if (variant->slot_count > 0) return;
  free(variant->slots);
  variant->slots = NULL;
}

void variant_result_forget(struct variant_result *variant, uint32_t epoch) {
  size_t slots = 0, metrics = 0;
  struct variant_extras *extras = &variant->extras;
  for (size_t i = 0; i < variant->slot_count; i++)
    if (variant->slots[i].epoch != epoch)
      variant->slots[slots++] = variant->slots[i];
    else
      free((void *)(uintptr_t)variant->slots[i].ns);
  for (size_t i = 0; i < extras->metric_count; i++)
    if (extras->metrics[i].epoch != epoch) extras->metrics[metrics++] = extras->metrics[i];
  variant->slot_count = slots;
  extras->metric_count = metrics;
}

void variant_result_settle(struct variant_result *variant, enum row_status status, const char *message) {
  if (variant->settled) return;
  variant->settled = true;
  variant->status = status;
  if (status != ROW_OK) variant_result_drop(variant, 0);
  if (message != NULL) text_copy(variant->message, sizeof variant->message, message);
}

void variant_result_give_up(struct variant_result *variant, uint32_t epoch, const char *why) {
  if (variant->settled) return;
  variant_result_drop(variant, epoch);
  variant_result_settle(variant, variant->slot_count > 0 ? ROW_OK : ROW_NOT_RUN, why);
}

void case_result_free(struct case_result *result) {
  for (size_t i = 0; i < result->count; i++) {
    variant_result_drop(&result->variants[i], 0);
    free(result->variants[i].graph);
  }
  free(result->variants);
}
