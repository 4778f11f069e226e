/* The worker process: loads plugins and runs their code on behalf of the parent. Entered by re-executing the binary. */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "machine/scratch.h"
#include "model/message.h"
#include "model/phase.h"
#include "worker/wire.h"

/* argv[1] of a worker, before its parent's pid and its scratch directory; the socket is descriptor 3 and the phase page
 * descriptor 4. */
#define WORKER_COMMAND "--worker-of"
enum { WORKER_SOCKET_FD = WIRE_WORKER_FD, WORKER_PAGE_FD = 4 };

/* A worker within the parent, for debuggers: answers one request by calling `reply`, the last time with MSG_DONE or
 * MSG_FAILED. A crash is the parent's own. Plugins stay loaded, and open, when it is freed. */
struct worker;
struct worker *worker_new(struct phase_page *page, const struct scratch *scratch);
void worker_answer(struct worker *worker, const struct message *message, wire_taker reply, void *user);
void worker_free(struct worker *worker);

/* Serves requests until the parent hangs up; never returns to code that could run plugins' destructors. `scratch` is
 * the path of the directory that it may make, and that its reaper removes. */
_Noreturn void worker_main(int parent_pid, const char *scratch);

#endif
