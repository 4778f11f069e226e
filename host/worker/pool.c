/* Starts workers, which run the code of plugins, sends them requests, and ends them. Freezes (SIGSTOP) all workers
 * except the one that measures. */
#include "worker/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plugin/loader.h"
#include "plugin/script.h"
#include "worker/bounds.h"
#include "worker/signals.h"
#include "worker/spare.h"

static bool has_plugin(const struct pool_worker *member, size_t plugin) {
  for (size_t i = 0; i < member->plugin_count; i++)
    if (member->plugins[i] == plugin) return true;
  return false;
}

static void add_plugin(struct pool_worker *member, size_t plugin) {
  if (has_plugin(member, plugin)) return;
  member->plugins = xrealloc(member->plugins, member->plugin_count + 1, sizeof *member->plugins);
  member->plugins[member->plugin_count++] = plugin;
}

static struct pool_worker member_of(const struct plan_case *plan_case) {
  struct pool_worker wanted = {0};
  add_plugin(&wanted, plan_case->plugin);
  for (size_t i = 0; i < plan_case->variant_count; i++)
    add_plugin(&wanted, plan_case->variants[i].plugin);
  return wanted;
}

static bool same_plugins(const struct pool_worker *a, const struct pool_worker *b) {
  if (a->plugin_count != b->plugin_count) return false;
  return a->plugin_count == 0 || memcmp(a->plugins, b->plugins, a->plugin_count * sizeof *a->plugins) == 0;
}

bool pool_serves(const struct pool_worker *member, const struct plan_case *plan_case) {
  struct pool_worker wanted = member_of(plan_case);
  bool same = !member->alone && same_plugins(member, &wanted);
  free(wanted.plugins);
  return same;
}

static struct pool_worker *add_member(struct pool *pool, const struct pool_worker *member) {
  pool->members = xrealloc(pool->members, pool->count + 1, sizeof *pool->members);
  pool->members[pool->count] = xcalloc(1, sizeof *pool->members[pool->count]);
  *pool->members[pool->count] = *member;
  return pool->members[pool->count++];
}

struct pool_worker *members_in_company(struct pool *pool, const struct plan_case *plan_case) {
  for (size_t i = 0; i < pool->count; i++)
    if (pool_serves(pool->members[i], plan_case)) return pool->members[i];
  const struct pool_worker member = member_of(plan_case);
  return add_member(pool, &member);
}

struct pool_worker *members_find_alone(struct pool *pool, size_t owner, size_t provider) {
  const size_t plugins = owner == provider ? 1 : 2;
  for (size_t i = 0; i < pool->count; i++) {
    struct pool_worker *member = pool->members[i];
    if (member->alone && member->plugin_count == plugins && has_plugin(member, owner) && has_plugin(member, provider))
      return member;
  }
  return NULL;
}

struct pool_worker *members_alone(struct pool *pool, size_t owner, size_t provider) {
  struct pool_worker *found = members_find_alone(pool, owner, provider), wanted = {.alone = true};
  if (found != NULL) return found;
  add_plugin(&wanted, owner);
  add_plugin(&wanted, provider);
  return add_member(pool, &wanted);
}

uint32_t pool_place(const struct pool_worker *member, size_t plugin) {
  for (size_t i = 0; i < member->plugin_count; i++)
    if (member->plugins[i] == plugin) return (uint32_t)i;
  return UINT32_MAX;
}

/* How long opening a device is retried: a GPU may need a while after a process that used it was killed. */
static const double recovery_usual_s = 30;
enum { OTHERS_MAX = 63 };
enum { PAUSE_FIRST_MS = 100, PAUSE_MOST_MS = 2000 };

/* How long freezing a worker waits for work that a plugin has enqueued on the device. */
static const double settle_most_s = 5;

/* ---- Asking ---- */

struct relay {
  struct pool *pool;
  const struct listener *listener;
};

static void relay_message(void *user, const struct message *message) {
  struct relay *relay = user;
  struct log_message log;
  const void *payload = wire_as(message, sizeof log);
  if (message->type == MSG_LOG && payload != NULL) {
    memcpy(&log, payload, sizeof log);
    log.plugin[sizeof log.plugin - 1] = log.text[sizeof log.text - 1] = '\0';
    text_sanitize(log.plugin);
    text_sanitize(log.text);
    relay->pool->log(&log);
  } else if (relay->listener != NULL) {
    relay->listener->message(relay->listener->user, message);
  }
}

static void relay_tick(void *user) {
  const struct relay *relay = user;
  if (relay->pool->tick != NULL) relay->pool->tick();
}

static void tell_restless(const struct pool *pool, const struct pool_worker *member) {
  const size_t last = member->plugins[member->plugin_count - 1];
  struct log_message log = {.level = GB_LOG_WARNING};
  text_copy(log.plugin, sizeof log.plugin, pool->catalog->plugins[last].desc.id);
  snprintf(log.text, sizeof log.text, "its process was ended: what it had left running could not be brought to rest");
  pool->log(&log);
}

/* Waits until the worker's work on the device is finished, then stops the worker and all processes that it started.
 * Dismisses the worker if that fails. */
static void freeze_member(struct pool *pool, struct pool_worker *member) {
  struct ending ending = {.kind = ENDING_DONE};
  struct relay relay = {pool, NULL};
  const struct listener listener = {&relay, relay_message, relay_tick, false};
  if (!member->frozen)
    process_ask(member->worker, MSG_SYNC, NULL, 0, &listener, call_limit_of(fmin(settle_most_s, pool->timeout_s)),
                &ending);
  member->frozen = ending.kind == ENDING_DONE && process_freeze(member->worker, true);
  if (member->frozen) return;
  tell_restless(pool, member);
  pool_dismiss(member);
  member->died = true;
}

/* Freezes all workers except `member`. Those that are frozen already are frozen again, because another process may have
 * continued their children. */
static void freeze_others(struct pool *pool, const struct pool_worker *member) {
  spare_freeze();
  for (size_t i = 0; i < pool->count; i++)
    if (pool->members[i] != member && pool->members[i]->worker != NULL) freeze_member(pool, pool->members[i]);
}

/* Freezes a worker that waits to be told what to measure next. The worker has already waited until its work on the
 * device was finished. Returns false if it could not be stopped; the caller must end it. */
static bool halt_member(const struct pool *pool, struct pool_worker *member, struct ending *ending) {
  member->used = true;
  member->frozen = process_freeze(member->worker, true);
  if (member->frozen) return true;
  tell_restless(pool, member);
  *ending = (struct ending){.kind = ENDING_DIED, .variant = -1};
  text_copy(ending->how, sizeof ending->how, "left something running that could not be brought to rest");
  return false;
}

static void ask_member(struct pool *pool, struct pool_worker *member, enum message_type type, const void *payload,
                       size_t size, const struct listener *listener, struct call_limit limit, struct ending *ending) {
  struct relay relay = {pool, listener};
  const struct listener relayed = {&relay, relay_message, relay_tick, listener != NULL && listener->ordered};
  freeze_others(pool, member);
  if (member->frozen) process_freeze(member->worker, false);
  member->frozen = false;
  process_ask(member->worker, type, payload, size, &relayed, limit, ending);
  pool->killed = ending->killed;
  if (ending->kind == ENDING_WAITS && halt_member(pool, member, ending)) return;
  if (ending->kind != ENDING_DONE && ending->kind != ENDING_FAILED) {
    pool_dismiss(member);
    member->died = true;
  }
}

void pool_dismiss(struct pool_worker *member) {
  process_stop(member->worker);
  member->worker = NULL;
  member->used = member->frozen = false;
}

void pool_renew(struct pool *pool) {
  for (size_t i = 0; i < pool->count; i++)
    if (!pool->members[i]->alone) pool_dismiss(pool->members[i]);
}

void pool_dismiss_all(struct pool *pool) {
  for (size_t i = 0; i < pool->count; i++)
    pool_dismiss(pool->members[i]);
}

void pool_restart(struct pool *pool) {
  (process_are_isolated() ? pool_dismiss_all : pool_renew)(pool);
}

static struct device_facts *facts_place(struct pool *pool, uint32_t type) {
  if (type == MSG_FACTS) {
    pool->other_count = 0;
    return &pool->facts;
  }
  if (type != MSG_OTHER || pool->other_count == OTHERS_MAX) return NULL;
  pool->others = xrealloc(pool->others, pool->other_count + 1, sizeof *pool->others);
  return &pool->others[pool->other_count++];
}

static void take_pool_facts(void *user, const struct message *message) {
  const void *payload = wire_as(message, sizeof(struct device_facts));
  struct device_facts *facts = payload != NULL ? facts_place(user, message->type) : NULL;
  if (facts == NULL) return;
  memcpy(facts, payload, sizeof *facts);
  bounds_facts(facts);
}

/* Turns an ending into an error. A usage error (exit code 2) that the worker reports keeps its exit code only if the
 * device was never open. Once the device was open, the user has named it correctly, so the error is not the user's. */
static int ending_error(const struct pool *pool, const struct ending *ending, int exit_code, const char *what,
                        struct err *err) {
  char how[2 * TEXT_SIZE + 64];
  bool blamed = ending->err.exit_code == EXIT_USAGE && pool->opened;
  if (ending->kind == ENDING_FAILED)
    return err_set(err, blamed ? exit_code : ending->err.exit_code, "%s", ending->err.text);
  ending_text(ending, how, sizeof how);
  return err_set(err, exit_code, "%s: %s", what, how);
}

/* Sends the options of a plugin that were given a value; the worker knows the defaults of the others. */
static int set_options(struct pool *pool, struct pool_worker *member, size_t place, struct err *err) {
  const struct catalog_plugin *plugin = &pool->catalog->plugins[member->plugins[place]];
  SCOPED struct setting_message *message = xcalloc(1, sizeof *message);
  struct ending ending = {.kind = ENDING_DONE};
  message->plugin = (uint32_t)place;
  for (uint32_t i = 0; plugin->settings != NULL && i < plugin->desc.setting_count && ending.kind == ENDING_DONE; i++) {
    if (plugin->settings[i].origin == NULL) continue;
    message->setting = i;
    text_copy(message->value, sizeof message->value, plugin->settings[i].value.text);
    ask_member(pool, member, MSG_SET, message, sizeof *message, NULL, call_limit_of(pool->timeout_s), &ending);
  }
  return ending.kind == ENDING_DONE ? 0 : ending_error(pool, &ending, EXIT_FAILED, plugin->path, err);
}

static bool has_scripts(const struct pool *pool, const struct pool_worker *member) {
  for (size_t i = 0; i < member->plugin_count; i++)
    if (script_is(pool->catalog->plugins[member->plugins[i]].path)) return true;
  return false;
}

static void note_load(struct pool *pool, size_t plugin, double seconds) {
  if (plugin >= pool->load_count) pool->load_s = xrealloc(pool->load_s, plugin + 1, sizeof *pool->load_s);
  while (pool->load_count <= plugin)
    pool->load_s[pool->load_count++] = 0;
  pool->load_s[plugin] = seconds;
}

static struct worker_process *spare_of(const struct pool *pool, size_t plugin) {
  char order[LOADER_ORDER_SIZE];
  loader_order(order, sizeof order, &pool->catalog->plugins[plugin]);
  return spare_take(order);
}

/* Tries to use a spare worker (a worker that was started only to describe a plugin, and was kept) for a member that is
 * to measure with two plugins only. The spare worker must have loaded one of the member's plugins, which then becomes
 * the member's first plugin. Returns false if there is no such worker. */
static bool take_spare(const struct pool *pool, struct pool_worker *member) {
  for (size_t i = member->plugin_count; i > 0 && member->alone; i--) {
    const size_t plugin = member->plugins[i - 1];
    member->worker = spare_of(pool, plugin);
    if (member->worker == NULL) continue;
    member->plugins[i - 1] = member->plugins[0];
    member->plugins[0] = plugin;
    return true;
  }
  return false;
}

static int start_once(struct pool *pool, struct pool_worker *member, double timeout_s, struct err *err) {
  struct ending ending;
  const struct listener facts = {.user = pool, .message = take_pool_facts};
  const int64_t began_ns = clock_now_ns();
  const size_t loaded = take_spare(pool, member) ? 1 : 0;
  if (loaded == 0 && process_start(&member->worker, has_scripts(pool, member), err) != 0) return -1;
  ask_member(pool, member, MSG_DEVICE, pool->device, strlen(pool->device) + 1, &facts, call_limit_of(timeout_s),
             &ending);
  if (ending.kind != ENDING_DONE) return ending_error(pool, &ending, EXIT_DEVICE, pool->device, err);
  pool->opened = true;
  pool->open_s = clock_seconds_since(began_ns);
  for (size_t i = 0; i < member->plugin_count; i++) {
    const struct catalog_plugin *plugin = &pool->catalog->plugins[member->plugins[i]];
    char order[LOADER_ORDER_SIZE];
    const int64_t loaded_ns = clock_now_ns();
    loader_order(order, sizeof order, plugin);
    if (i >= loaded)
      ask_member(pool, member, MSG_LOAD, order, strlen(order) + 1, NULL, call_limit_of(pool->timeout_s), &ending);
    if (ending.kind != ENDING_DONE) return ending_error(pool, &ending, EXIT_FAILED, plugin->path, err);
    if (set_options(pool, member, i, err) != 0) return -1;
    if (i >= loaded) note_load(pool, member->plugins[i], clock_seconds_since(loaded_ns));
  }
  return 0;
}

/* Returns true if a worker died while the device was in use. */
static bool after_a_death(const struct pool *pool) {
  for (size_t i = 0; i < pool->count; i++)
    if (pool->opened && pool->members[i]->died) return true;
  return false;
}

static int recover(struct pool *pool, struct pool_worker *member, struct err *err) {
  const double limit_s = pool->recovery_s > 0 ? pool->recovery_s : recovery_usual_s;
  int64_t start_ns = clock_now_ns();
  for (int pause_ms = PAUSE_FIRST_MS;; pause_ms = pause_ms < PAUSE_MOST_MS / 2 ? 2 * pause_ms : PAUSE_MOST_MS) {
    struct err attempt = {0};
    double spent_s = clock_seconds_since(start_ns);
    if (start_once(pool, member, fmin(pool->timeout_s, fmax(limit_s - spent_s, 1)), &attempt) == 0) return 0;
    pool_dismiss(member);
    if (attempt.exit_code == EXIT_DEVICE && spent_s < limit_s && !signals_asked_to_finish()) {
      usleep((useconds_t)pause_ms * 1000);
      continue;
    }
    *err = attempt;
    return attempt.exit_code != EXIT_DEVICE
               ? -1
               : err_context(err, "the device is still unusable %.0f s after a worker on it ended", spent_s);
  }
}

static int start_member(struct pool *pool, struct pool_worker *member, struct err *err) {
  if (after_a_death(pool)) return recover(pool, member, err);
  for (int tries = 0; tries < 2; tries++) { /* tries twice, because one kill from outside may be a coincidence */
    *err = (struct err){0};
    pool->killed = false;
    if (start_once(pool, member, pool->timeout_s, err) == 0) return 0;
    pool_dismiss(member);
    if (!pool->killed) break;
  }
  return -1;
}

/* Asks the worker about a case, with the time limits of the case. */
static void ask_case(struct pool *pool, struct pool_worker *member, enum message_type type, const void *payload,
                     size_t size, const struct listener *listener, struct ending *ending) {
  const struct call_limit limit = {pool->timeout_s, pool->calls_end_ns, pool->wary};
  ask_member(pool, member, type, payload, size, listener, limit, ending);
  pool->hung += ending->kind == ENDING_TIMEOUT;
}

void pool_ask(struct pool *pool, struct pool_worker *member, enum message_type type, const void *payload, size_t size,
              const struct listener *listener, struct ending *ending) {
  struct err ignored = {0};
  ask_case(pool, member, type, payload, size, listener, ending);
  if (ending_is_early(ending) && !signals_asked_to_finish() && start_member(pool, member, &ignored) == 0)
    ask_case(pool, member, type, payload, size, listener, ending);
  member->used = member->worker != NULL;
}

void pool_order(struct pool *pool, struct pool_worker *member, const struct order_message *order,
                const struct listener *listener, struct ending *ending) {
  ask_case(pool, member, MSG_ORDER, order, sizeof *order, listener, ending);
}

int pool_worker_for(struct pool *pool, const struct plan_case *plan_case, struct pool_worker **member,
                    struct err *err) {
  *member = members_in_company(pool, plan_case);
  if ((*member)->worker != NULL) return 0;
  pool_renew(pool);
  return start_member(pool, *member, err);
}

int pool_worker_alone(struct pool *pool, size_t owner, size_t provider, struct pool_worker **member, struct err *err) {
  if (process_are_none()) return err_set(err, EXIT_FAILED, "--in-process has no process for a provider alone");
  *member = members_alone(pool, owner, provider);
  return (*member)->worker != NULL ? 0 : start_member(pool, *member, err);
}

int pool_worker_fresh(struct pool *pool, size_t owner, size_t provider, struct pool_worker **member, struct err *err) {
  if (pool_worker_alone(pool, owner, provider, member, err) != 0) return -1;
  if (!(*member)->used) return 0;
  pool_dismiss(*member);
  return pool_worker_alone(pool, owner, provider, member, err);
}

static double load_s(const struct pool *pool, size_t plugin) {
  return plugin < pool->load_count ? pool->load_s[plugin] : 0;
}

bool pool_has_alone(struct pool *pool, size_t owner, size_t provider) {
  const struct pool_worker *member = members_find_alone(pool, owner, provider);
  char order[LOADER_ORDER_SIZE];
  loader_order(order, sizeof order, &pool->catalog->plugins[provider]);
  return spare_has(order) || (member != NULL && member->worker != NULL);
}

double pool_alone_start_s(const struct pool *pool, size_t owner, size_t provider) {
  return pool->open_s + load_s(pool, owner) + (provider != owner ? load_s(pool, provider) : 0);
}

void pool_dismiss_alone(struct pool *pool, size_t owner, size_t provider) {
  struct pool_worker *member = members_find_alone(pool, owner, provider);
  if (member != NULL) pool_dismiss(member);
}

uint32_t pool_idle(const struct pool *pool, const struct pool_worker *member) {
  uint32_t idle = 0;
  for (size_t i = 0; i < pool->count; i++)
    idle += pool->members[i] != member && pool->members[i]->worker != NULL;
  return idle;
}

static void take_count(void *user, const struct message *message) {
  const void *payload = wire_as(message, sizeof(uint32_t));
  if (message->type != MSG_COUNTED || payload == NULL) return;
  memcpy(user, payload, sizeof(uint32_t));
  if (*(uint32_t *)user > DEVICES_MOST) *(uint32_t *)user = DEVICES_MOST;
}

int pool_count(struct pool *pool, uint32_t *count, struct err *err) {
  struct pool_worker member = {0};
  struct ending ending;
  const struct listener listener = {.user = count, .message = take_count};
  *count = 0;
  if (process_start(&member.worker, false, err) != 0) return -1;
  ask_member(pool, &member, MSG_COUNT, NULL, 0, &listener, call_limit_of(pool->timeout_s), &ending);
  pool_dismiss(&member);
  return ending.kind == ENDING_DONE ? 0 : ending_error(pool, &ending, EXIT_DEVICE, "counting the CUDA devices", err);
}

void pool_move(struct pool *pool, const char *device) {
  pool_dismiss_all(pool);
  for (size_t i = 0; i < pool->count; i++)
    pool->members[i]->died = false;
  pool->device = device;
  pool->facts = (struct device_facts){0};
  pool->other_count = 0;
  pool->opened = false;
}

int pool_probe(struct pool *pool, const char *device, struct err *err) {
  struct pool_worker member = {0};
  pool_move(pool, device);
  int rc = start_once(pool, &member, pool->timeout_s, err);
  pool_dismiss(&member);
  return rc;
}

void pool_free(struct pool *pool) {
  for (size_t i = 0; i < pool->count; i++) {
    pool_dismiss(pool->members[i]);
    free(pool->members[i]->plugins);
    free(pool->members[i]);
  }
  free(pool->members);
  free(pool->others);
  free(pool->load_s);
}
