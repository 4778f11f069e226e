/* The worker process: loads plugins and runs their code for the parent. It is the same binary as the parent, executed
 * again. */
#pragma once

#include "machine/scratch.h"
#include "model/message.h"
#include "model/phase.h"
#include "worker/wire.h"

/* argv[1] of a worker; it is followed by the pid of the worker's parent and the path of its scratch directory. The
 * socket is descriptor 3; descriptor 4 is the status page, memory that the worker shares with its parent. */
#define WORKER_COMMAND "--worker-of"
enum { WORKER_SOCKET_FD = WIRE_WORKER_FD, WORKER_PAGE_FD = 4 };

/* A worker within the parent, for debuggers. worker_answer() answers one request by calling `reply`, the last time with
 * MSG_DONE or MSG_FAILED. A crash ends the parent. Plugins stay loaded and open when the worker is freed. */
struct worker;
struct worker *worker_new(struct phase_page *page, const struct scratch *scratch);
void worker_answer(struct worker *worker, const struct message *message, wire_taker reply, void *user);
void worker_free(struct worker *worker);

/* Serves requests until the parent closes the socket, then ends without running destructors of plugins. `scratch` is
 * the path of the directory that the worker may make and that its reaper removes. */
_Noreturn void worker_main(int parent_pid, const char *scratch);
