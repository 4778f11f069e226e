/* The members of a pool, by the plugins that they have. */
#ifndef WORKER_MEMBERS_H
#define WORKER_MEMBERS_H

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
  int64_t calls_end_ns; /* when what is left to the case under way is over (worker/call_limit.h); 0: no end is known */
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

#endif
