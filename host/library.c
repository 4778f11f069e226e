/* The only symbol of libgpubench-worker.so. A worker for Python scripts runs in the process of a Python interpreter,
 * which loads this library and calls it. */
#include "worker/worker.h"

_Noreturn void gpubench_worker(int parent_pid, const char *scratch);

__attribute__((visibility("default"))) _Noreturn void gpubench_worker(int parent_pid, const char *scratch) {
  worker_main(parent_pid, scratch);
}
