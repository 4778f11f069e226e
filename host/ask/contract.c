/* Example and probes of a contract, through a worker. Checks all that comes back. */
#include "ask/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/request.h"
#include "base/memory.h"
#include "plan/example.h"

/* ---- Asking ---- */

/* Drops what no bench can have declared. */
static void take_tensor(struct declaration *d, const struct tensor_desc *from) {
  static const int64_t most = INT64_C(1) << 48;
  if (d->count == TENSORS_MAX) return;
  struct tensor_desc *t = &d->tensors[d->count];
  int64_t elements = 1;
  *t = *from;
  t->name[sizeof t->name - 1] = '\0';
  if (!text_is_id(t->name) || t->rank < 1 || t->rank > RANK_MAX || !isfinite(t->fill_a) || !isfinite(t->fill_b)) return;
  if (!(t->tolerance >= 0 && t->tolerance < 1)) return;
  for (uint32_t i = 0; i < t->rank; i++) {
    if (t->shape[i] < 1 || t->shape[i] > most / elements) return;
    elements *= t->shape[i];
  }
  d->count++;
}

static void take(void *user, const struct message *message) {
  struct declaration *d = user;
  struct tensor_desc tensor;
  const void *payload;
  if (message->type == MSG_TENSOR && (payload = wire_as(message, sizeof tensor)) != NULL) {
    memcpy(&tensor, payload, sizeof tensor);
    take_tensor(d, &tensor);
  }
  if (message->type == MSG_CASE && (payload = wire_as(message, sizeof d->report)) != NULL) {
    memcpy(&d->report, payload, sizeof d->report);
    d->report.item_unit[ID_SIZE - 1] = '\0';
    text_sanitize(d->report.item_unit);
  }
}

static int ask(struct pool *pool, const struct contract *contract, const struct point *point, const char *key,
               struct declaration *declaration, struct err *err) {
  struct plan_case p = {.plugin = contract->lineup->plugin, .bench = contract->lineup->bench, .point = *point};
  struct pool_worker *member;
  struct ending ending;
  const struct listener listener = {.user = declaration, .message = take};
  *declaration = (struct declaration){0};
  text_copy(p.key, sizeof p.key, key);
  if (pool_worker_for(pool, &p, &member, err) != 0) return -1;
  struct case_request *request = request_new(member, &p);
  pool_ask(pool, member, MSG_DECLARE, request, case_request_size(request), &listener, &ending);
  free(request);
  if (ending.kind == ENDING_DONE) return 0;
  if (ending.kind == ENDING_FAILED) return err_set(err, EXIT_FAILED, "%s", ending.err.text);
  return err_set(err, EXIT_FAILED, "%s in %s%s%s", ending.how, phase_name(ending.phase), ending.tail[0] ? ": " : "",
                 ending.tail);
}

/* ---- Probes ---- */

static bool probe(struct pool *pool, struct contract *contract, uint32_t axis, const struct axis_value *value) {
  struct point point = contract->point;
  struct err refused = {0};
  contract->probes = xrealloc(contract->probes, contract->probe_count + 1, sizeof *contract->probes);
  struct probe *p = &contract->probes[contract->probe_count++];
  *p = (struct probe){.axis = axis, .value = *value};
  point.values[axis] = *value;
  p->known = ask(pool, contract, &point, contract->key, &p->declaration, &refused) == 0;
  return p->known;
}

static bool probe_whole(struct pool *pool, struct contract *contract, uint32_t axis, int64_t whole) {
  struct axis_value value = contract->point.values[axis];
  value.i64 = whole;
  snprintf(value.str, sizeof value.str, "%lld", (long long)whole);
  return probe(pool, contract, axis, &value);
}

static void probe_choices(struct pool *pool, struct contract *contract, uint32_t axis) {
  char copy[EXPR_SIZE], *rest = copy;
  struct axis_value value = contract->point.values[axis];
  text_copy(copy, sizeof copy, contract->lineup->desc->axes[axis].choices);
  for (char *choice; (choice = strsep(&rest, ",")) != NULL;) {
    choice += strspn(choice, " ");
    choice[strcspn(choice, " ")] = '\0';
    if (choice[0] == '\0' || strcmp(choice, contract->point.values[axis].str) == 0) continue;
    text_copy(value.str, sizeof value.str, choice);
    probe(pool, contract, axis, &value);
  }
}

static void probe_all(struct pool *pool, struct contract *contract) {
  for (uint32_t a = 0; a < contract->point.count; a++) {
    const struct axis_value *value = &contract->point.values[a];
    if (value->type == AXIS_STR) probe_choices(pool, contract, a);
    if (value->type != AXIS_I64 || value->i64 < 1 || value->i64 > INT64_MAX / 2) continue;
    if (!probe_whole(pool, contract, a, value->i64 * 2) && value->i64 % 2 == 0)
      probe_whole(pool, contract, a, value->i64 / 2);
  }
}

int contract_learn(struct pool *pool, const struct lineup *lineup, const struct selection *selection,
                   const char *backend, struct contract *contract, struct err *err) {
  struct examples *examples = xcalloc(1, sizeof *examples);
  struct err first = {0};
  bool learnt = false;
  *contract = (struct contract){.lineup = lineup, .backend = backend};
  int rc = examples_find(lineup, selection, backend, examples, err);
  for (size_t i = 0; rc == 0 && !learnt && i < examples->count; i++) {
    contract->point = examples->items[i].point;
    text_copy(contract->key, sizeof contract->key, examples->items[i].key);
    learnt = ask(pool, contract, &contract->point, contract->key, &contract->example, &first) == 0;
  }
  if (!learnt)
    text_copy(contract->why, sizeof contract->why, examples->count > 0 ? first.text : "it has no default case");
  if (learnt) probe_all(pool, contract);
  free(examples);
  return rc;
}

void contract_free(struct contract *contract) {
  free(contract->probes);
  *contract = (struct contract){0};
}
