#include "ask/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "ask/request.h"
#include "base/memory.h"

static void take_footprint(void *user, const struct message *message) {
  struct case_report report;
  const void *payload = wire_as(message, sizeof report);
  if (message->type != MSG_CASE || payload == NULL) return;
  memcpy(&report, payload, sizeof report);
  *(double *)user = (double)report.tensor_bytes;
}

/* Asks the worker that has loaded only the bench's owner. */
int ask_footprint(struct pool *pool, const struct plan_case *p, double *bytes, struct err *err) {
  struct pool_worker *member;
  struct ending ending;
  const struct listener listener = {.user = bytes, .message = take_footprint};
  *bytes = 0;
  if (pool_worker_alone(pool, p->plugin, p->plugin, &member, err) != 0) return -1;
  struct case_request *request = request_new(member, p);
  pool_ask(pool, member, MSG_DECLARE, request, case_request_size(request), &listener, &ending);
  free(request);
  return 0;
}
