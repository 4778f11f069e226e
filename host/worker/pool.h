/* The run's workers on its device, started when needed and replaced after a death. One at a time serves cases with all
 * their plugins, in company. Others have loaded a bench's owner and one provider each, and stay from case to case. Of
 * all that live one works at a time: before it is asked, the others' work on the device is waited for, and they are
 * frozen with all that they started, so that nothing of ours shares the machine with what is measured. */
#ifndef WORKER_POOL_H
#define WORKER_POOL_H

#include "model/order.h"
#include "plan/plan.h"
#include "worker/process.h"

struct pool_worker {
  size_t *plugins; /* catalog indices in the order the worker loaded them */
  size_t plugin_count;
  struct worker_process *worker; /* NULL: none now */
  bool alone;                    /* it has a bench's owner and one provider, whatever else its cases have */
  bool used;                     /* it was asked to run a plugin's callbacks */
  bool died;                     /* a former one did */
  bool frozen;
};

struct pool {
  const struct catalog *catalog;
  const char *device;   /* spec */
  double timeout_s;     /* of each call */
  int64_t calls_end_ns; /* when what is left to the case under way is over (worker/patience.h); 0: no end is known */
  bool wary;            /* who is asked about may hang: its calls have less */
  uint32_t hung;        /* calls about cases that did not return */
  double recovery_s;    /* how long the device is tried after a death; 0: 30 s */
  struct pool_worker **members; /* owned: each stays where it is */
  size_t count;
  struct device_facts facts;   /* once a worker has opened the device */
  struct device_facts *others; /* likewise: of its kind, in the order in which cases take them */
  size_t other_count;
  double open_s;  /* what starting a process with the device open took the last time */
  double *load_s; /* owned; and opening plugins, by their index in the catalog, of which it has `load_count` */
  size_t load_count;
  bool opened;
  bool killed; /* by somebody else, the worker that was asked last */
  void (*log)(const struct log_message *message);
  void (*tick)(void); /* while a worker is busy */
};

/* The member for a case in company, and the one for a provider alone; made when it is first looked for. */
struct pool_worker *members_in_company(struct pool *pool, const struct plan_case *plan_case);
struct pool_worker *members_alone(struct pool *pool, size_t owner, size_t provider);

/* NULL: it was not looked for. In whichever order it has loaded the two. */
struct pool_worker *members_find_alone(struct pool *pool, size_t owner, size_t provider);

/* Has it what this case needs in company, neither more nor less? */
bool pool_serves(const struct pool_worker *member, const struct plan_case *plan_case);

/* The place of a catalog plugin in the worker's order. */
uint32_t pool_place(const struct pool_worker *member, size_t plugin);

/* The worker that serves the case, its plugins loaded and its device open. After a death the device is tried for a
 * while. Exit 4: the device cannot be used; 3: a plugin that loaded before does not load now. */
int pool_worker_for(struct pool *pool, const struct plan_case *plan_case, struct pool_worker **member, struct err *err);

/* The worker that has loaded the bench's owner and this provider, in which nobody else's code has run. It lives beside
 * the others until pool_dismiss(). Errors as above; exit 3 where workers are no processes. */
int pool_worker_alone(struct pool *pool, size_t owner, size_t provider, struct pool_worker **member, struct err *err);

/* Does it live, or has another worker loaded nothing but its provider, which it would be made of? And what does
 * starting it take otherwise, as its parts have taken before? */
bool pool_has_alone(struct pool *pool, size_t owner, size_t provider);
double pool_alone_start_s(const struct pool *pool, size_t owner, size_t provider);

/* Ends it, if it lives. */
void pool_dismiss_alone(struct pool *pool, size_t owner, size_t provider);

/* Asks it, forwarding log lines, while all others are frozen; one of those that cannot be brought to rest is put away.
 * A worker that died or broke is put away. One that died before it had begun is replaced and the new one asked, once.
 */
void pool_ask(struct pool *pool, struct pool_worker *member, enum message_type type, const void *payload, size_t size,
              const struct listener *listener, struct ending *ending);

/* The same for a case that is ordered, once its worker waits (ENDING_WAITS): it goes on. */
void pool_order(struct pool *pool, struct pool_worker *member, const struct order_message *order,
                const struct listener *listener, struct ending *ending);

/* How many others live. */
uint32_t pool_idle(const struct pool *pool, const struct pool_worker *member);

/* How many CUDA devices there are, from a worker of its own. Exit 4: none that can be used. */
int pool_count(struct pool *pool, uint32_t *count, struct err *err);

/* Opens a device for a moment: its facts, in the pool's. Exit 4: it cannot be used. */
int pool_probe(struct pool *pool, const char *device, struct err *err);

/* From here on all is done on this device; nothing that happened on the one before counts. */
void pool_move(struct pool *pool, const char *device);

/* Puts the worker away, so that the next case gets a fresh one. */
void pool_dismiss(struct pool_worker *member);
/* Those that serve in company. */
void pool_renew(struct pool *pool);
/* All. */
void pool_dismiss_all(struct pool *pool);
void pool_free(struct pool *pool);

#endif
