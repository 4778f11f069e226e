/* Finds out which tensors a bench declares, for authors of variants. Asks a worker process about an example case, and
 * about each case that differs from the example in the choice of one axis (parameter). Checks everything that the
 * worker sends. */
#include "contract/contract.h"

#include <gpubench/ext/tensor.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/describe.h"
#include "ask/request.h"
#include "base/memory.h"
#include "case/check.h"
#include "options/device_list.h"
#include "plan/expand.h"
#include "plugin/loader.h"
#include "run/devices.h"
#include "worker/bounds.h"
#include "worker/interpreter.h"

/* ---- Asking a worker ---- */

/* Adds a tensor, unless it is invalid. */
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

static void take_declaration(void *user, const struct message *message) {
  struct declaration *d = user;
  struct tensor_desc tensor;
  const void *payload;
  if (message->type == MSG_TENSOR && (payload = wire_as(message, sizeof tensor)) != NULL) {
    memcpy(&tensor, payload, sizeof tensor);
    take_tensor(d, &tensor);
  }
  if (message->type == MSG_CASE && (payload = wire_as(message, sizeof d->report)) != NULL) {
    memcpy(&d->report, payload, sizeof d->report);
    bounds_case(&d->report);
  }
}

static int ask_declaration(struct pool *pool, const struct contract *contract, const struct point *point,
                           const char *key, struct declaration *declaration, struct err *err) {
  struct plan_case p = {.plugin = contract->lineup->plugin, .bench = contract->lineup->bench, .point = *point};
  struct pool_worker *member;
  struct ending ending;
  const struct listener listener = {.user = declaration, .message = take_declaration};
  *declaration = (struct declaration){0};
  text_copy(p.key, sizeof p.key, key);
  if (pool_worker_for(pool, &p, &member, err) != 0) return -1;
  SCOPED struct case_request *request = request_new(member, &p);
  pool_ask(pool, member, MSG_DECLARE, request, case_request_size(request), &listener, &ending);
  if (ending.kind == ENDING_DONE) return 0;
  if (ending.kind == ENDING_FAILED) return err_set(err, EXIT_FAILED, "%s", ending.err.text);
  return err_set(err, EXIT_FAILED, "%s in %s%s%s", ending.how, phase_name(ending.phase), ending.tail[0] ? ": " : "",
                 ending.tail);
}

/* ---- Probing other choices of axes ---- */

static void probe_value(struct pool *pool, struct contract *contract, uint32_t axis, const struct axis_value *value) {
  struct point point = contract->point;
  struct err refused = {0};
  contract->probes = xrealloc(contract->probes, contract->probe_count + 1, sizeof *contract->probes);
  struct probe *p = &contract->probes[contract->probe_count++];
  *p = (struct probe){.axis = axis, .value = *value};
  point.values[axis] = *value;
  p->known = ask_declaration(pool, contract, &point, contract->key, &p->declaration, &refused) == 0;
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
    probe_value(pool, contract, axis, &value);
  }
}

/* Chooses the example case, and has a worker of the pool declare its tensors. The example is the smallest of the
 * default cases that the bench accepts, or the one that a key of `selection` names. Returns -1 with exit code 2 if a
 * key is not a case of the bench. If the worker cannot answer, `why` gives the reason. */
static int contract_learn(struct pool *pool, const struct lineup *lineup, const struct selection *selection,
                          const char *backend, struct contract *contract, struct err *err) {
  SCOPED struct examples *examples = xcalloc(1, sizeof *examples);
  struct err first = {0};
  bool learnt = false;
  *contract = (struct contract){.lineup = lineup, .backend = backend};
  int rc = examples_find(lineup, selection, backend, examples, err);
  for (size_t i = 0; rc == 0 && !learnt && i < examples->count; i++) {
    contract->point = examples->items[i].point;
    text_copy(contract->key, sizeof contract->key, examples->items[i].key);
    learnt = ask_declaration(pool, contract, &contract->point, contract->key, &contract->example, &first) == 0;
  }
  if (!learnt)
    text_copy(contract->why, sizeof contract->why, examples->count > 0 ? first.text : "it has no default case");
  for (uint32_t a = 0; learnt && a < contract->point.count; a++)
    if (contract->point.values[a].type == AXIS_STR) probe_choices(pool, contract, a);
  return rc;
}

void contract_free(struct contract *contract) {
  free(contract->probes);
  *contract = (struct contract){0};
}

/* ---- Properties of tensors ---- */

bool contract_axis_types(const struct contract *c, uint32_t axis) {
  for (size_t i = 0; i < c->probe_count; i++) {
    const struct probe *p = &c->probes[i];
    if (p->axis != axis || p->value.type != AXIS_STR || !p->known) continue;
    if (p->declaration.count != c->example.count) return true;
    for (uint32_t t = 0; t < c->example.count; t++)
      if (contract_probed_dtype(p, c->example.tensors[t].name) != c->example.tensors[t].dtype) return true;
  }
  return false;
}

static const struct tensor_desc *find_tensor(const struct declaration *d, const char *name) {
  for (uint32_t i = 0; i < d->count; i++)
    if (strcmp(d->tensors[i].name, name) == 0) return &d->tensors[i];
  return NULL;
}

uint32_t contract_probed_dtype(const struct probe *probe, const char *tensor) {
  const struct tensor_desc *t = probe->known ? find_tensor(&probe->declaration, tensor) : NULL;
  return t != NULL ? t->dtype : 0;
}

bool contract_is_dense(const struct tensor_desc *t) {
  int64_t dense = 1;
  for (uint32_t i = t->rank; i-- > 0;) {
    if (t->shape[i] > 1 && t->strides[i] != dense) return false;
    dense *= t->shape[i];
  }
  return true;
}

/* Returns the math mode that "native" means, by the same rule as case_math(). */
const char *contract_native(const struct declaration *d) {
  for (uint32_t i = 0; i < d->count; i++)
    if (d->tensors[i].role == GB_IN || d->tensors[i].role == GB_INOUT) return check_native(d->tensors[i].dtype);
  return check_native(0);
}

const char *contract_role(uint32_t role) {
  static const char *const names[] = {"?", "in", "out", "inout", "scratch"};
  return names[role < sizeof names / sizeof names[0] ? role : 0];
}

void contract_fill(const struct tensor_desc *t, char *to, size_t size) {
  char a[32], b[32];
  text_shortest(a, sizeof a, t->fill_a);
  text_shortest(b, sizeof b, t->fill_b);
  if (size > 0) to[0] = '\0';
  if (t->role != GB_IN && t->role != GB_INOUT) return;
  if (t->fill == GB_FILL_BENCH) snprintf(to, size, "by the bench");
  if (t->fill == GB_FILL_NORMAL) snprintf(to, size, "normal, mean %s, std dev %s", a, b);
  if (t->fill == GB_FILL_UNIFORM) snprintf(to, size, "uniform in [%s, %s)", a, b);
}

/* ---- Loading the plugins that a command is about, and asking for the tensors of one bench ---- */

void loaded_log(const struct log_message *message) {
  fprintf(stderr, "gpubench: %s: %s\n", message->plugin, message->text);
}

int loaded_describe(const struct options *options, struct catalog *catalog, struct err *err) {
  SCOPED_STRINGS struct strings names = {0};
  size_t index;
  int refused = 0;
  interpreter_choose(options->common.python);
  for (size_t i = 0; i < options->cli.plugins.count; i++)
    strings_add(&names, options->cli.plugins.items[i]);
  if (names.count == 0) loader_available(&names);
  for (size_t i = 0; i < names.count && refused == 0; i++)
    refused = describe_plugin(catalog, names.items[i], options->common.trust_plugins ? LOADER_ALL : LOADER_TYPED,
                              options_timeout_s(options), &index, err);
  describe_warnings(catalog, stderr);
  return refused;
}

bool loaded_is_named(const struct catalog *catalog, const struct lineup *lineup, const char *name, bool whole,
                     bool (*is)(const char *name, const char *text)) {
  if (whole) return is(name, lineup->desc->contract) || is(name, lineup->id);
  return is(name, catalog->plugins[lineup->plugin].desc.id) || is(name, lineup->desc->name);
}

static int learn_on(const struct options *options, const struct catalog *catalog, const char *spec,
                    const struct lineup *lineup, struct contract *contract, struct err *err) {
  struct pool pool = {.catalog = catalog, .device = spec, .timeout_s = options_timeout_s(options), .log = loaded_log};
  int rc = contract_learn(&pool, lineup, &options->cli, devices_backend(spec), contract, err);
  pool_free(&pool);
  return rc;
}

int loaded_learn(const struct options *options, const struct catalog *catalog, const struct lineup *lineup,
                 struct contract *contract, struct err *err) {
  char spec[TEXT_SIZE], why[TEXT_SIZE];
  bool automatic = strcmp(options->common.device, "auto") == 0;
  if (automatic) {
    if (learn_on(options, catalog, "cpu", lineup, contract, err) != 0) return -1;
    if (contract->why[0] == '\0') return 0;
  }
  if (run_choose_device(options->common.device, spec, sizeof spec, why, sizeof why, err) != 0) return -1;
  if (automatic && devices_are(spec, DEVICE_HOST_PROCESSORS)) return 0;
  contract_free(contract);
  return learn_on(options, catalog, spec, lineup, contract, err);
}
