/* A variant that lets its own calls return, and later stops the process in a call of another variant, so that this call
 * seems to hang. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "guest.h"

const char guest_id[] = "hang", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

static const double own_ns = 8e6;

struct later {
  pthread_t thread;
  _Atomic double left_ns;
  atomic_bool quit, idle, once;
};

static void *stop_later(void *argument) {
  struct later *l = argument;
  for (; !l->quit; usleep(500))
    if (!l->idle && l->left_ns > 0 && guest_now_ns() - l->left_ns > own_ns && !atomic_exchange(&l->once, true))
      raise(SIGSTOP), kill(getpid(), SIGSTOP);
  return NULL;
}

static int start(struct call *call, bool idle) {
  struct later *l = calloc(1, sizeof *l);
  *call->state = l;
  if (l == NULL) return 1;
  l->idle = idle;
  return pthread_create(&l->thread, NULL, stop_later, l);
}

static int stop_open(struct call *call) {
  return start(call, false);
}

static int idle_open(struct call *call) {
  return start(call, true);
}

static int later_close(struct call *call) {
  struct later *l = *call->state;
  l->quit = true;
  pthread_join(l->thread, NULL);
  free(l);
  return 0;
}

static int run(struct call *call) {
  struct later *l = *call->state;
  gelu(call->x, call->y, 0, call->n, call->threads);
  l->left_ns = guest_now_ns();
  return 0;
}

const struct guest guests[] = {{"stop-process", GELU, .run = run, .prepare = stop_open, .release = later_close},
                               {"stop-honest", GELU, .run = run, .prepare = idle_open, .release = later_close},
                               {.name = NULL}};
