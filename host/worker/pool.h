/* The run's workers on its device, started when needed and replaced after a death. One at a time serves cases with all
 * their plugins, in company. Others have loaded a bench's owner and one provider each, and stay from case to case. Of
 * all that live one works at a time: before it is asked, the others' work on the device is waited for, and they are
 * frozen with all that they started, so that nothing of ours shares the machine with what is measured. */
#ifndef WORKER_POOL_H
#define WORKER_POOL_H

#include "model/order.h"
#include "worker/members.h"

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
