/* The workers of a run on its device, started when needed and replaced after a death. One worker at a time serves cases
 * with all their plugins ("in company"). Others have loaded one bench's owner and one provider each ("alone") and are
 * kept from case to case. Only one of them works at a time: before it is asked, the work of the others on the device is
 * finished, and they are frozen with all that they started, so that none of our processes disturbs a measurement. */
#pragma once

#include "model/order.h"
#include "plan/plan.h"
#include "worker/process.h"

struct pool_worker {
  size_t *plugins; /* catalog indices in the order the worker loaded them */
  size_t plugin_count;
  struct worker_process *worker; /* NULL: not started */
  bool alone; /* it has the owner of a bench and one provider, whatever other plugins its cases have */
  bool used;  /* it was asked to run callbacks of a plugin */
  bool died;  /* an earlier process of this member died */
  bool frozen;
};

struct pool {
  const struct catalog *catalog;
  const char *device;           /* the spec, such as "cuda:0" */
  double timeout_s;             /* of each call */
  int64_t calls_end_ns;         /* when the time of the current case is over (worker/patience.h); 0: not limited */
  bool wary;                    /* the variants asked about may hang: their calls get less time */
  uint32_t hung;                /* calls about cases that did not return */
  double recovery_s;            /* how long a device is retried after a death; 0: 30 s */
  struct pool_worker **members; /* owned, with stable addresses */
  size_t count;
  struct device_facts facts;   /* valid once a worker has opened the device */
  struct device_facts *others; /* owned; the other devices of its kind, in the order in which cases take them */
  size_t other_count;
  double open_s;  /* what starting a process and opening the device took the last time */
  double *load_s; /* owned; what loading each plugin took, by catalog index */
  size_t load_count;
  bool opened;
  bool killed; /* the worker that was asked last was killed from outside */
  void (*log)(const struct log_message *message);
  void (*tick)(void); /* called while a worker is busy */
};

/* Return the member for a case in company, and the one for a provider alone; they are made on first use. */
struct pool_worker *members_in_company(struct pool *pool, const struct plan_case *plan_case);
struct pool_worker *members_alone(struct pool *pool, size_t owner, size_t provider);

/* Finds the member, in whichever order it has loaded the two. NULL: there is none yet. */
struct pool_worker *members_find_alone(struct pool *pool, size_t owner, size_t provider);

/* Returns true if the member has exactly the plugins that this case needs in company. */
bool pool_serves(const struct pool_worker *member, const struct plan_case *plan_case);

/* Returns the index of a catalog plugin in the worker's own order. */
uint32_t pool_place(const struct pool_worker *member, size_t plugin);

/* Returns the worker that serves the case, with its plugins loaded and its device open. After a death the device is
 * retried for a while. -1 with exit code 4: the device cannot be used; 3: a plugin that loaded before does not load
 * now. */
int pool_worker_for(struct pool *pool, const struct plan_case *plan_case, struct pool_worker **member, struct err *err);

/* Returns the worker that has loaded the bench's owner and this provider and has run no other plugin's code. It lives
 * until it is dismissed. Errors as above; exit code 3 if workers are no processes. */
int pool_worker_alone(struct pool *pool, size_t owner, size_t provider, struct pool_worker **member, struct err *err);

/* pool_has_alone() returns true if that worker lives, or if a spare worker has loaded only its provider and can become
 * it. Otherwise pool_alone_start_s() estimates how long starting it takes, from former starts. */
bool pool_has_alone(struct pool *pool, size_t owner, size_t provider);
double pool_alone_start_s(const struct pool *pool, size_t owner, size_t provider);

/* Ends that worker, if it lives. */
void pool_dismiss_alone(struct pool *pool, size_t owner, size_t provider);

/* Asks the worker and forwards log lines, while all others are frozen; a worker that cannot be frozen is dismissed. So
 * is the worker itself if it died or failed. One that died before it began is replaced, and the new one is asked, once.
 */
void pool_ask(struct pool *pool, struct pool_worker *member, enum message_type type, const void *payload, size_t size,
              const struct listener *listener, struct ending *ending);

/* Sends the next order of an ordered case to its worker, which waits for it (ENDING_WAITS). */
void pool_order(struct pool *pool, struct pool_worker *member, const struct order_message *order,
                const struct listener *listener, struct ending *ending);

/* Returns how many other workers live. */
uint32_t pool_idle(const struct pool *pool, const struct pool_worker *member);

/* Counts the CUDA devices in a separate worker. -1 with exit code 4: none can be used. */
int pool_count(struct pool *pool, uint32_t *count, struct err *err);

/* Opens a device briefly and stores its facts in the pool. -1 with exit code 4: it cannot be used. */
int pool_probe(struct pool *pool, const char *device, struct err *err);

/* Uses this device from now on; deaths on the former one do not count. */
void pool_move(struct pool *pool, const char *device);

/* Ends the worker, so that the next case gets a new one. */
void pool_dismiss(struct pool_worker *member);
/* Ends the workers that serve in company. */
void pool_renew(struct pool *pool);
/* Ends all workers. */
void pool_dismiss_all(struct pool *pool);
void pool_free(struct pool *pool);
