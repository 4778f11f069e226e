/* Variants that call gpubench's functions `log` and `fail` from two threads at once, for tests of the locks in these
 * functions. The environment variable LOUD_TIMES is the number of calls of each thread. If LOUD_OPEN is set, the
 * plugin's `open` starts such threads as well: with "fail" they call `fail`; with "go-on" they call `log` while
 * gpubench reads what the plugin has registered. Both threads pass long texts to `fail`; gpubench must report one of
 * them whole, not a mixture. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simple.h"

enum { TEXT_BYTES = 900 };

static char texts[2][TEXT_BYTES + 1];

struct shouter {
  gb_case *c;
  const char *text;
  long times; /* -1: for ever */
  int32_t level;
  int fails;
  pthread_t thread;
};

static void *shout(void *context) {
  const struct shouter *s = context;
  for (long i = 0; i != s->times; i++) {
    gb.host->log(gb.host, s->level, s->text);
    if (s->fails) gb.host->fail(gb.host, s->c, GB_EFAIL, s->text);
  }
  return NULL;
}

static long times(void) {
  const char *said = getenv("LOUD_TIMES");
  return said != NULL ? atol(said) : 1000;
}

static void start(struct shouter two[2], gb_case *c, long how_often, int fails) {
  for (int i = 0; i < 2; i++) {
    two[i] = (struct shouter){.c = c, .text = texts[i], .times = how_often, .level = GB_LOG_INFO, .fails = fails};
    if (pthread_create(&two[i].thread, NULL, shout, &two[i]) != 0) abort();
  }
}

static void join(struct shouter two[2]) {
  for (int i = 0; i < 2; i++)
    pthread_join(two[i].thread, NULL);
}

static gb_status fail_twice(gb_case *c) {
  struct shouter two[2];
  start(two, c, times(), 1);
  join(two);
  return GB_EFAIL;
}

static gb_status both(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self, (void)vstate;
  return fail_twice(c);
}

/* The threads of the variant "behind". They log while gpubench measures the variant and sends messages. */
static struct shouter behind[2];

static gb_status begin(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self, (void)vstate;
  start(behind, c, times(), 0);
  return GB_OK;
}

static void end(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c, (void)vstate;
  join(behind);
}

/* Starts threads that log, and cancels them, most likely while they are in `log`. */
static gb_status cancelled(const gb_variant *self, gb_case *c, void **vstate) {
  struct shouter two[2];
  (void)self, (void)vstate;
  for (int i = 0; i < 100; i++) {
    start(two, c, -1, 0);
    usleep(500);
    for (int k = 0; k < 2; k++)
      pthread_cancel(two[k].thread);
    join(two);
    gb.host->log(gb.host, GB_LOG_INFO, "still here");
  }
  return GB_OK;
}

/* Forks child processes while threads log. A child gets a copy of all locks, some of which may be held, and of the
 * connection to gpubench. Then the child logs, too, which must not hang. */
static gb_status forked(const gb_variant *self, gb_case *c, void **vstate) {
  struct shouter two[2];
  (void)self, (void)vstate;
  start(two, c, times(), 0);
  for (int i = 0; i < 20; i++) {
    const pid_t child = fork();
    if (child == 0) {
      for (int k = 0; k < 100; k++)
        gb.host->log(gb.host, GB_LOG_WARNING, "a child speaks");
      _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
  }
  join(two);
  return GB_OK;
}

static gb_status endless(const gb_variant *self, gb_case *c, void **vstate) {
  struct shouter two[2];
  (void)self, (void)vstate;
  start(two, c, -1, 1);
  join(two);
  return GB_OK;
}

static gb_status killed(const gb_variant *self, gb_case *c, void **vstate) {
  struct shouter two[2];
  (void)self, (void)vstate;
  start(two, c, -1, 0);
  usleep(20000);
  raise(SIGKILL);
  return GB_OK;
}

#define PREPARED(label, function) \
  { GB_SIZE(gb_variant), .name = label, .backend = "cpu", .math = "fp32", .prepare = function, .run = simple_run }
static const gb_variant v_good = SIMPLE_BASELINE("good"), v_both = PREPARED("both", both),
                        v_cancelled = PREPARED("cancelled", cancelled), v_forked = PREPARED("forked", forked),
                        v_endless = PREPARED("endless", endless), v_killed = PREPARED("killed", killed);
static const gb_variant v_behind = {GB_SIZE(gb_variant), .name = "behind",  .backend = "cpu", .math = "fp32",
                                    .prepare = begin,    .run = simple_run, .release = end};
static const gb_variant *const variants[] = {&v_good,   &v_both,    &v_behind, &v_cancelled,
                                             &v_forked, &v_endless, &v_killed, NULL};
static const gb_bench bench = SIMPLE_BENCH("loud", variants);

static gb_status threads_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  for (int i = 0; i < 2; i++)
    memset(texts[i], 'a' + i, TEXT_BYTES);
  const char *how = getenv("LOUD_OPEN");
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK && how != NULL && strcmp(how, "fail") == 0) return fail_twice(NULL);
  if (status == GB_OK) status = host->add(host, registry, &bench);
  if (status == GB_OK && how != NULL) start(behind, NULL, times(), 0);
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "threads", .version = "1.0.0", .open = threads_open};
