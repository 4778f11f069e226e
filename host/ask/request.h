/* What a worker is asked about a case: the parent's indices as the worker knows them. */
#ifndef ASK_REQUEST_H
#define ASK_REQUEST_H

#include "worker/pool.h"

/* Of no variant yet. The caller frees. */
struct case_request *request_new(const struct pool_worker *member, const struct plan_case *plan_case);

/* At the end; false when CASE_VARIANTS_MAX are there. Its `against` is still the plan's. */
bool request_add(struct case_request *request, const struct pool_worker *member, const struct plan_variant *variant);

#endif
