/* Variants that do their own work honestly and start a thread that later damages the other variants. The rows of those
 * variants must be right, or name the plugin that harmed them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

const char guest_id[] = "harm", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

enum { STEP_US = 1500, SOME = 64 };
/* for this long after a call of this variant, the host surely measures no other variant */
static const double own_ns = 8e6;

struct later {
  pthread_t thread;
  float *at;
  _Atomic double left_ns;
  atomic_bool quit, idle;
};

static void *write_later(void *argument) {
  struct later *l = argument;
  for (; !l->quit; usleep(STEP_US))
    if (!l->idle && l->left_ns > 0 && guest_now_ns() - l->left_ns > own_ns) memset(l->at, 0, SOME * sizeof(float));
  return NULL;
}

static int start(struct call *call, float *at, bool idle) {
  struct later *l = calloc(1, sizeof *l);
  *call->state = l;
  if (l == NULL) return 1;
  l->at = at;
  l->idle = idle;
  return pthread_create(&l->thread, NULL, write_later, l);
}

static int outputs_open(struct call *call) {
  return start(call, call->y + call->n / 2, false);
}

static int inputs_open(struct call *call) {
  return start(call, call->x + call->n / 2, false);
}

static int idle_open(struct call *call) {
  return start(call, call->y, true);
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

const struct guest guests[] = {{"zeros-later", GELU, .run = run, .prepare = outputs_open, .release = later_close},
                               {"inputs-later", GELU, .run = run, .prepare = inputs_open, .release = later_close},
                               {"harm-honest", GELU, .run = run, .prepare = idle_open, .release = later_close},
                               {.name = NULL}};
