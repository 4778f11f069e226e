/* The worker's code, called. */
#include "worker/in_process.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "worker/signals.h"
#include "worker/worker.h"

struct inside {
  struct worker_process process; /* first */
  struct worker *worker;
  struct phase_page *page;
  struct scratch scratch;
};

static struct worker_process *start(const struct worker_terms *terms, struct err *err) {
  (void)err;
  struct inside *w = xcalloc(1, sizeof *w);
  w->process.backend = &in_process_backend;
  w->page = xcalloc(1, sizeof *w->page);
  scratch_choose(terms->scratch, &w->scratch);
  w->worker = worker_new(w->page, &w->scratch);
  return &w->process;
}

struct hearer {
  struct phase_page *page;
  const struct listener *listener;
  struct ending *ending;
};

static unsigned char *copy_payload(const void *payload, size_t size) {
  unsigned char *copy = xcalloc(size + 1, 1);
  if (size > 0) memcpy(copy, payload, size);
  return copy;
}

static int hear(void *user, enum message_type type, const void *payload, size_t size) {
  const struct hearer *hearer = user;
  const struct message message = {type, (uint32_t)size, copy_payload(payload, size)};
  if (signals_asked_to_finish()) atomic_store(&hearer->page->stop, 1);
  backend_hear(&message, hearer->listener, hearer->ending);
  free(message.payload);
  return 0;
}

static void ask(struct worker_process *process, enum message_type type, const void *payload, size_t size,
                const struct listener *listener, struct call_limit limit, struct ending *ending) {
  (void)limit;
  struct inside *w = (struct inside *)process;
  struct hearer hearer = {w->page, listener, ending};
  const struct message message = {type, (uint32_t)size, copy_payload(payload, size)};
  worker_answer(w->worker, &message, hear, &hearer);
  free(message.payload);
}

static void stop(struct worker_process *process) {
  struct inside *w = (struct inside *)process;
  worker_free(w->worker);
  backend_remove_scratch(&w->scratch);
  free(w->page);
  free(w);
}

/* It goes where ours goes. */
static bool printed(struct worker_process *process, char *to, size_t size) {
  (void)process, (void)size;
  to[0] = '\0';
  return false;
}

const struct backend in_process_backend = {start, ask, stop, NULL, NULL, printed};
