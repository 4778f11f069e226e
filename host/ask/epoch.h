/* One request under way: which of a case's variants it asks about, and where their answers go. */
#ifndef ASK_EPOCH_H
#define ASK_EPOCH_H

#include "ask/request.h"
#include "model/result.h"
#include "worker/ending.h"

/* What a variant was blamed for when others had run in its process before. */
struct doubt {
  enum row_status status;
  char *text; /* NULL: nothing */
};

struct epoch {
  const struct plan_case *plan_case;
  const struct run_case_settings *settings;
  struct case_result *result;
  struct case_request *request;
  size_t *asked; /* plan index of each of the request's variants */
  uint32_t number, restart;
  size_t open;          /* plan index of the variant whose last slot may have more to come; SIZE_MAX: none */
  struct doubt *doubts; /* by plan index */
  size_t apart;         /* plan index of the variant that is tried beside the baseline alone; SIZE_MAX: all take part */
  bool failed;          /* some variant of this epoch has reported an error */
};

void epoch_init(struct epoch *e, const struct plan_case *plan_case, const struct run_case_settings *settings,
                struct case_result *result);
void epoch_free(struct epoch *e);

/* Makes the request: of all that are to be measured, and what their speedups divide by. */
void epoch_begin(struct epoch *e, const struct pool_worker *member);

/* What has this place in the request, or NULL. */
struct variant_result *epoch_result(const struct epoch *e, uint32_t place);

/* "SIGSEGV in run of attention/forward/flash[b=2,...]: last line printed" */
void epoch_sentence(const struct epoch *e, const struct ending *ending, char *to, size_t size);

#endif
