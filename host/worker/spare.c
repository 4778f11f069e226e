#include "worker/spare.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct spare {
  char *order;
  struct worker_process *worker;
};

static struct spare *spares;
static size_t count;
static bool keeping;

void spare_keep(void) {
  keeping = true;
}

bool spare_put(const char *order, struct worker_process *worker) {
  if (!keeping || !process_freeze(worker, true)) return false;
  spares = xrealloc(spares, count + 1, sizeof *spares);
  spares[count++] = (struct spare){xstrdup(order), worker};
  return true;
}

static void drop_spare(size_t i) {
  free(spares[i].order);
  spares[i] = spares[--count];
}

struct worker_process *spare_take(const char *order) {
  for (size_t i = 0; i < count; i++) {
    struct worker_process *worker = spares[i].worker;
    if (strcmp(spares[i].order, order) != 0) continue;
    drop_spare(i);
    process_freeze(worker, false);
    return worker;
  }
  return NULL;
}

bool spare_has(const char *order) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(spares[i].order, order) == 0) return true;
  return false;
}

void spare_freeze(void) {
  for (size_t i = count; i > 0; i--) {
    if (process_freeze(spares[i - 1].worker, true)) continue;
    process_stop(spares[i - 1].worker);
    drop_spare(i - 1);
  }
}

void spare_end(void) {
  keeping = false;
  while (count > 0) {
    process_stop(spares[count - 1].worker);
    drop_spare(count - 1);
  }
  free(spares);
  spares = NULL;
}
