/* Workers, by whichever backend this run has them. */
#include "worker/process.h"

#include "worker/child.h"
#include "worker/in_process.h"
#include "worker/interpreter.h"

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
