/* The worker process: loads plugins and runs their code on behalf of the parent. Entered by re-executing the binary. */
#ifndef WORKER_H
#define WORKER_H

/* argv[1] of a worker; the socket is descriptor 3 and the phase page descriptor 4. */
#define WORKER_COMMAND "--worker-of"
enum { WORKER_SOCKET_FD = 3, WORKER_PAGE_FD = 4 };

/* Serves requests until the parent hangs up; never returns to code that could run plugins' destructors. */
_Noreturn void worker_main(int parent_pid);

#endif
