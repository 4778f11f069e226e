/* Calls workers through the backend of this run: one of two kinds, workers as separate processes or within this
 * process. Also contains the second kind. */
#include "worker/process.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "worker/child.h"
#include "worker/interpreter.h"
#include "worker/signals.h"
#include "worker/worker.h"

/* The backend whose workers run within this process: no limits apply, and a crash ends this process. */
extern const struct backend in_process_backend;

/* ---- A worker within this process ---- */

struct inside {
  struct worker_process process; /* first, so that a struct inside can be used as a struct worker_process */
  struct worker *worker;
  struct phase_page *page;
  struct scratch scratch;
};

static struct worker_process *start_inside(const struct worker_terms *terms, struct err *err) {
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

static int hear_inside(void *user, enum message_type type, const void *payload, size_t size) {
  const struct hearer *hearer = user;
  const struct message message = {type, (uint32_t)size, copy_payload(payload, size)};
  if (signals_asked_to_finish()) atomic_store(&hearer->page->stop, 1);
  backend_hear(&message, hearer->listener, hearer->ending);
  free(message.payload);
  return 0;
}

static void ask_inside(struct worker_process *process, enum message_type type, const void *payload, size_t size,
                       const struct listener *listener, struct call_limit limit, struct ending *ending) {
  (void)limit;
  struct inside *w = (struct inside *)process;
  struct hearer hearer = {w->page, listener, ending};
  const struct message message = {type, (uint32_t)size, copy_payload(payload, size)};
  worker_answer(w->worker, &message, hear_inside, &hearer);
  free(message.payload);
}

static void stop_inside(struct worker_process *process) {
  struct inside *w = (struct inside *)process;
  worker_free(w->worker);
  backend_remove_scratch(&w->scratch);
  free(w->page);
  free(w);
}

/* Returns false: the worker prints to the output of this process, so its lines are not known. */
static bool inside_printed(struct worker_process *process, char *to, size_t size) {
  (void)process, (void)size;
  to[0] = '\0';
  return false;
}

const struct backend in_process_backend = {start_inside, ask_inside, stop_inside, NULL, NULL, inside_printed, NULL};

static const struct backend *backend = &child_backend;
static struct worker_terms terms;

void process_none(void) {
  backend = &in_process_backend;
}

void process_limit_memory(uint64_t bytes) {
  terms.memory = bytes;
}

void process_scratch(const char *base) {
  terms.scratch = base;
}

void process_isolate(const struct isolation *isolation) {
  terms.isolation = isolation;
}

bool process_are_isolated(void) {
  return terms.isolation != NULL;
}

void process_folder(const char *folder) {
  terms.folder = folder;
}

bool process_printed(struct worker_process *worker, char *to, size_t size) {
  return worker->backend->printed(worker, to, size);
}

int64_t process_time_ns(struct worker_process *worker) {
  return worker->backend->time_ns != NULL ? worker->backend->time_ns(worker) : 0;
}

pid_t process_pid(const struct worker_process *worker) {
  return worker->backend->pid != NULL ? worker->backend->pid(worker) : 0;
}

bool process_are_none(void) {
  return backend == &in_process_backend;
}

int process_start(struct worker_process **worker, bool python, struct err *err) {
  struct worker_terms own = terms;
  struct interpreter interpreter;
  *worker = NULL;
  if (python && interpreter_find(&interpreter, err) != 0) return -1;
  own.python = python ? interpreter.path : NULL;
  *worker = backend->start(&own, err);
  return *worker != NULL ? 0 : -1;
}

void process_ask(struct worker_process *worker, enum message_type type, const void *payload, size_t size,
                 const struct listener *listener, struct call_limit limit, struct ending *ending) {
  *ending = (struct ending){.variant = -1};
  worker->backend->ask(worker, type, payload, size, listener, limit, ending);
}

bool process_freeze(struct worker_process *worker, bool frozen) {
  return worker->backend->freeze != NULL && worker->backend->freeze(worker, frozen);
}

void process_stop(struct worker_process *worker) {
  if (worker != NULL) worker->backend->stop(worker);
}
