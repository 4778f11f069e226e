/* The workers of a run on one device. They are started when needed, replaced after a death, and kept from case to case.
 * One worker has loaded all plugins of the present case ("in company"). Others have loaded only two ("alone"): the one
 * that defines a bench (its owner), and one that brings variants of it (a provider).
 *
 * Only one worker works at a time. Before it is asked, the others finish their work on the device and are frozen, with
 * all processes that they started. */
#pragma once

#include "model/order.h"
#include "plan/plan.h"
#include "worker/process.h"

struct pool_worker {
  size_t *plugins; /* indices in the catalog, in the order in which the worker loaded the plugins */
  size_t plugin_count;
  struct worker_process *worker; /* NULL: not started */
  bool alone; /* true if the worker loads only two plugins: the one that defines a bench, and one with variants of it,
                 even if more plugins have variants of the bench */
  bool used;  /* true once the worker was asked to run callbacks of a plugin */
  bool died;  /* true if an earlier worker process in this place of the pool died */
  bool frozen;
};

struct pool {
  const struct catalog *catalog;
  const char *device;   /* the device as the user specified it, such as "cuda:0" */
  double timeout_s;     /* longest time that a call may take (--timeout), in seconds */
  int64_t calls_end_ns; /* when the time of the current case is over (worker/patience.h); 0: not limited */
  bool wary;            /* true if the variants in the request are suspected of hanging: their calls get less time */
  uint32_t hung;        /* number of calls that did not return, in requests about cases */
  double recovery_s;    /* how long opening the device is retried after a worker has died; 0: 30 s */
  struct pool_worker **members; /* owned; each member is allocated separately, so that its address is stable */
  size_t count;
  struct device_facts facts;   /* valid once a worker has opened the device */
  struct device_facts *others; /* owned; the other devices of the same kind, in the order in which cases use them */
  size_t other_count;
  double open_s;  /* how long starting a process and opening the device took the last time */
  double *load_s; /* owned; by catalog index: how long loading each plugin took */
  size_t load_count;
  bool opened;
  bool killed; /* true if the worker that was asked last was killed from outside gpubench */
  void (*log)(const struct log_message *message);
  void (*tick)(void); /* called while a worker is busy */
};

/* Both return a member of the pool, which is made on first use. The worker of members_in_company() loads all plugins of
 * the case. The worker of members_alone() loads only two plugins, given as catalog indices: the one that defines the
 * bench (`owner`) and the one that brings the variants (`provider`). */
struct pool_worker *members_in_company(struct pool *pool, const struct plan_case *plan_case);
struct pool_worker *members_alone(struct pool *pool, size_t owner, size_t provider);

/* Finds the member that has only these two plugins, in whichever order it loaded them. NULL: there is none yet. */
struct pool_worker *members_find_alone(struct pool *pool, size_t owner, size_t provider);

/* Returns true if the member's worker loads exactly the plugins of this case and was not made for measuring alone. */
bool pool_serves(const struct pool_worker *member, const struct plan_case *plan_case);

/* Returns the position of the plugin with this catalog index among the plugins that the worker has loaded. */
uint32_t pool_place(const struct pool_worker *member, size_t plugin);

/* Provides a worker that serves the case, with its plugins loaded and its device open. If a worker has died on the
 * device, opening the device is retried for a while. Returns -1 with exit code 4 if the device cannot be used; 3 if a
 * plugin that loaded before does not load now. */
int pool_worker_for(struct pool *pool, const struct plan_case *plan_case, struct pool_worker **member, struct err *err);

/* Provides the worker that has loaded only the plugins `owner` and `provider` and has run no other plugin's code. The
 * worker lives until pool_dismiss_alone(). Errors are those of pool_worker_for(), and exit code 3 if workers run within
 * this process. */
int pool_worker_alone(struct pool *pool, size_t owner, size_t provider, struct pool_worker **member, struct err *err);

/* The same, but the worker has run no variants at all. If the one that lives has, it is replaced. */
int pool_worker_fresh(struct pool *pool, size_t owner, size_t provider, struct pool_worker **member, struct err *err);

/* pool_has_alone() returns true if a worker with only the plugins `owner` and `provider` lives, or if a spare worker
 * (one that was started to describe a plugin, and was kept) has loaded `provider`. Otherwise pool_alone_start_s()
 * estimates from former starts how long starting such a worker takes. */
bool pool_has_alone(struct pool *pool, size_t owner, size_t provider);
double pool_alone_start_s(const struct pool *pool, size_t owner, size_t provider);

/* Ends the worker with only these two plugins, if it lives. */
void pool_dismiss_alone(struct pool *pool, size_t owner, size_t provider);

/* Sends a request to the worker and forwards its log lines. All other workers are frozen meanwhile; a worker that
 * cannot be frozen is dismissed. The asked worker is dismissed if it died or failed. If it died before it began with
 * the request, it is replaced, and the new worker is asked, once. */
void pool_ask(struct pool *pool, struct pool_worker *member, enum message_type type, const void *payload, size_t size,
              const struct listener *listener, struct ending *ending);

/* Tells a worker whose request ended with ENDING_WAITS what to measure next. */
void pool_order(struct pool *pool, struct pool_worker *member, const struct order_message *order,
                const struct listener *listener, struct ending *ending);

/* Returns how many workers besides this one live. */
uint32_t pool_idle(const struct pool *pool, const struct pool_worker *member);

/* Counts the CUDA devices in a separate worker. Returns -1 with exit code 4 if no device can be used. */
int pool_count(struct pool *pool, uint32_t *count, struct err *err);

/* Opens a device briefly and stores its facts in the pool. Returns -1 with exit code 4 if the device cannot be used. */
int pool_probe(struct pool *pool, const char *device, struct err *err);

/* Ends all workers, and uses this device from now on. A death on the former device is no longer a reason to retry
 * opening the device. */
void pool_move(struct pool *pool, const char *device);

/* Ends the worker, so that the next case gets a new one. */
void pool_dismiss(struct pool_worker *member);
/* Ends the workers that have loaded all plugins of their cases. Those of pool_worker_alone() go on. */
void pool_renew(struct pool *pool);
/* Ends all workers that measure cases, so that each case is measured next by processes that have measured nothing. With
 * --isolate these are those of pool_worker_alone(), otherwise those that pool_renew() ends. */
void pool_restart(struct pool *pool);
/* Ends all workers. */
void pool_dismiss_all(struct pool *pool);
void pool_free(struct pool *pool);
