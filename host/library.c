/* The worker as a library, for an interpreter that is a worker's process: libgpubench-worker.so. Its one symbol. */
#include "worker/worker.h"

_Noreturn void gpubench_worker(int parent_pid, const char *scratch);

__attribute__((visibility("default"))) _Noreturn void gpubench_worker(int parent_pid, const char *scratch) {
  worker_main(parent_pid, scratch);
}
