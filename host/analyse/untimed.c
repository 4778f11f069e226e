#include "analyse/untimed.h"

#include <math.h>

#include "base/text.h"
#include "model/proof/unproven.h"
#include "plugin/script.h"

/* Returns the median time of one kind of untimed work, that is work of a variant outside its timed calls. NaN: there
 * are no times of that kind. */
static double untimed_ns(const struct variant_result *v, enum untimed_kind kind) {
  struct untimed_times times = v->untimed[kind];
  return stats_median(times.ns, times.count);
}

static void note_unverified(struct record *r, const char *what) {
  char text[TEXT_SIZE];
  text_copy(text, sizeof text, text_or_empty(r->unverified_work));
  phrase_add(text, sizeof text, "; ", "%s", what);
  record_set(&r->unverified_work, text);
}

/* Returns true if the variant's own code runs in the callback `after`, which is not timed. For a Python script that
 * callback is code of the host, which copies the script's result into place. */
static bool delivers_itself(const struct catalog_plugin *provider, const struct variant_desc *variant) {
  return variant->has_after != 0 && !script_is(provider->path);
}

/* If the variant has processes of its own, its untimed work has no bound, because the host cannot time what these
 * processes do between calls. */
void untimed_set(struct record *r, const struct catalog_plugin *provider, const struct plan_variant *pv,
                 const struct variant_result *v) {
  const struct variant_desc *variant = &provider->variants[pv->variant];
  const bool derived = (variant->flags & VARIANT_DERIVED) != 0, delivers = delivers_itself(provider, variant);
  const bool processes = (variant->flags & VARIANT_PROCESSES) != 0;
  if (!(derived || delivers || processes) || r->yardstick == 1 || v->slot_count == 0) return;
  r->untimed_ns = processes ? (double)NAN : 0;
  if (derived) r->untimed_ns += untimed_ns(v, UNTIMED_DERIVE);
  if (delivers) r->untimed_ns += untimed_ns(v, UNTIMED_DELIVER);
  if (isnan(r->untimed_ns)) record_add_unproven(r, UNPROVEN_BIT(UNPROVEN_UNTIMED));
  if (delivers && record_untimed_counts(r)) note_unverified(r, "work in its untimed after");
}

void untimed_add_ahead(struct record *r, const struct untimed_times *times) {
  const double ns = untimed_ahead_ns(times);
  if (!(ns > 0) || record_is_unbounded(r) || r->yardstick == 1) return;
  r->untimed_ns = fmax(0, r->untimed_ns) + ns; /* fmax() ignores NaN */
  if (record_untimed_counts(r)) note_unverified(r, "work of its threads ahead of its calls");
}
