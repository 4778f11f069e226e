/* Optional helpers for draft services, in addition to those of sugar.h. A draft service may change in every version of
 * the host, so the plugin must be built again for each version. A host that lacks the service, or has another version
 * of it, gives NULL for it. The helpers then return GB_OK and do nothing. */
#ifndef GPUBENCH_DRAFT_H
#define GPUBENCH_DRAFT_H

#include "ext/draft/span.h"
#include "gpubench.h"
#include "sugar.h"

GB_C_BEGIN

/* The draft services, fetched once in `open`. */
typedef struct gb_drafts {
  const gb_span_ext *span; /* NULL if the host lacks it */
} gb_drafts;

GB_MAYBE_UNUSED
static void gb_drafts_open(gb_drafts *drafts, const gb_host *host) {
  drafts->span = (const gb_span_ext *)host->extension(host, GB_EXT_SPAN);
}

/* Returns 1 if the host records the spans (the bars of a timeline) of this iteration. Otherwise a variant need not take
 * times by gb_span_now() or report spans by gb_span_add(). */
GB_MAYBE_UNUSED
static int gb_span_wanted(const gb_drafts *drafts, gb_case *c) {
  return drafts->span != NULL && drafts->span->wanted(c) != 0;
}

GB_MAYBE_UNUSED
static int64_t gb_span_now(const gb_drafts *drafts) {
  return drafts->span == NULL ? 0 : drafts->span->now();
}

GB_MAYBE_UNUSED
static gb_status gb_span_add(const gb_drafts *drafts, gb_case *c, const char *lane, const char *label, int64_t begin_ns,
                             int64_t end_ns) {
  gb_span span;
  GB_CLEAR(span);
  span.lane = lane;
  span.label = label;
  span.begin_ns = begin_ns;
  span.end_ns = end_ns;
  return drafts->span == NULL ? GB_OK : drafts->span->add(c, &span);
}

GB_C_END
#endif
