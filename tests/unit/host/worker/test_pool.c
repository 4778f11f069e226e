/* Tests the pool of workers: a worker is replaced after its death, started again if the device needs time, and asked
 * again if it died before it did anything. Each worker is this program, started again to play one of the parts
 * below. */
#include "worker/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit.h"
#include "worker/wire.h"
#include "worker/worker.h"

#define ACTOR "GPUBENCH_TEST_ACTOR"
#define COUNTER "GPUBENCH_TEST_COUNTER"
#define TICKS "GPUBENCH_TEST_TICKS"
enum { WORKERS_MOST = 64 };

/* ---- Actors ---- */

/* Returns the number of this worker, from 1. */
static int place(void) {
  FILE *file = fopen(getenv(COUNTER), "a");
  if (file == NULL || fputc('x', file) == EOF || fclose(file) != 0) _exit(9);
  struct stat info;
  return stat(getenv(COUNTER), &info) == 0 ? (int)info.st_size : -1;
}

static void send_facts(void) {
  struct device_facts facts = {.backend = "cpu", .spec = "cpu", .name = "actor"};
  wire_send(WORKER_SOCKET_FD, MSG_FACTS, &facts, sizeof facts);
}

static void refuse(const char *text) {
  struct err err = {0};
  err_set(&err, EXIT_DEVICE, "%s", text);
  wire_send(WORKER_SOCKET_FD, MSG_FAILED, &err, sizeof err);
}

/* Maps a file with one counter for each worker, which the worker's children increment. */
static _Atomic unsigned long *map_ticks(void) {
  const int fd = open(getenv(TICKS), O_RDWR);
  void *ticks = mmap(NULL, WORKERS_MOST * sizeof(_Atomic unsigned long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0) close(fd);
  return ticks == MAP_FAILED ? NULL : ticks;
}

/* Leaves an orphaned grandchild in another session that counts and ignores all signals that can be ignored. */
static void leave_counting(int mine) {
  if (fork() > 0) return;
  setsid();
  if (fork() > 0) _exit(0);
  for (int i = 1; i < 32; i++)
    signal(i, SIG_IGN);
  closefrom(3);
  for (_Atomic unsigned long *ticks = map_ticks(); ticks != NULL && mine < WORKERS_MOST; usleep(200))
    ticks[mine]++;
  _exit(9);
}

/* The parts that a worker of these tests can play: "untilN": the first worker dies in a callback, and those up to the
 * N-th cannot open the device; "never": none of the later ones can. "early": the first worker dies when asked to run,
 * before it does anything; "always": all of them do. "idle": the first one dies after its answer. "counts": each one
 * leaves a process that counts. "restless": its work on the device never ends. */
static void play(const char *part) {
  int mine = place(), until = strncmp(part, "until", 5) == 0 ? atoi(part + 5) : strcmp(part, "never") == 0 ? 99 : 0;
  bool early = strcmp(part, "always") == 0 || (strcmp(part, "early") == 0 && mine == 1);
  struct message message;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct phase_page *page =
      mmap(NULL, sizeof(struct phase_page), PROT_READ | PROT_WRITE, MAP_SHARED, WORKER_PAGE_FD, 0);
  const bool counts = strcmp(part, "counts") == 0;
  if (counts) leave_counting(mine);
  while (wire_receive(WORKER_SOCKET_FD, &message) == 0) {
    bool broken = message.type == MSG_DEVICE && mine > 1 && mine <= until;
    if (message.type == MSG_DEVICE && !broken) send_facts();
    if (message.type == MSG_RUN && early) raise(SIGKILL);
    if (message.type == MSG_RUN && mine == 1 && until > 0) {
      phase_enter(page, PHASE_RUN, 0);
      raise(SIGKILL);
    }
    if (message.type == MSG_RUN) {
      phase_enter(page, PHASE_RUN, 3); /* leaves a mark on the status page, which the next request must not see */
      phase_leave(page);
    }
    if (message.type == MSG_RUN && counts) usleep(100000);
    if (message.type == MSG_SYNC && strcmp(part, "restless") == 0) pause();
    if (broken)
      refuse("the device is not what it was");
    else
      wire_send(WORKER_SOCKET_FD, MSG_DONE, NULL, 0);
    if (message.type == MSG_RUN && mine == 1 && strcmp(part, "idle") == 0) raise(SIGKILL);
    free(message.payload);
  }
  _exit(0);
}

/* ---- The parent ---- */

static struct log_message logged;

static void keep_log(const struct log_message *message) {
  logged = *message;
}

static char counter[64] = "/tmp/gpubench-crew-XXXXXX", ticks_path[64] = "/tmp/gpubench-ticks-XXXXXX";
static struct catalog_plugin plugins[] = {{.path = "/x.so", .desc.id = "x"}, {.path = "/y.so", .desc.id = "y"}};
static const struct catalog catalog = {plugins, 2};
static struct pool pool;
static struct pool_worker *member;
static struct plan_case plan_case;
static struct ending ending;
static struct err error;

static void begin(const char *part) {
  setenv(ACTOR, part, 1);
  setenv(COUNTER, counter, 1);
  truncate(counter, 0) == 0 ? (void)0 : (void)perror(counter);
  error = (struct err){0};
  pool = (struct pool){.catalog = &catalog, .device = "cpu", .timeout_s = 10, .log = keep_log};
  logged = (struct log_message){0};
  ASSERT_EQ_INT(pool_worker_for(&pool, &plan_case, &member, &error), 0);
  ASSERT_EQ_STR(error.text, "");
}

static void ask(void) {
  pool_ask(&pool, member, MSG_RUN, "x", 2, NULL, &ending);
}

static int started(void) {
  struct stat info;
  return stat(counter, &info) == 0 ? (int)info.st_size : -1;
}

static void end(int expected) {
  ASSERT_EQ_INT(started(), expected);
  pool_free(&pool);
  ASSERT_TRUE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void one_worker_serves_on(void) {
  begin("good");
  struct pool_worker *first = member;
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  ASSERT_EQ_INT(pool_worker_for(&pool, &plan_case, &member, &error), 0);
  ASSERT_TRUE(member == first);
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  end(1);
}

static void an_early_death_costs_nothing(void) {
  begin("early");
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  end(2);
}

/* A worker that dies between two cases, while it has no request, is replaced, and no case fails. */
static void a_death_while_idle_costs_nothing(void) {
  begin("idle");
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  ASSERT_EQ_INT(pool_worker_for(&pool, &plan_case, &member, &error), 0);
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  end(2);
}

static void but_only_once(void) {
  begin("always");
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DIED);
  ASSERT_EQ_STR(ending.how, "the worker was killed from outside (SIGKILL)");
  ASSERT_TRUE(ending.killed);
  ASSERT_TRUE(member->worker == NULL);
  end(2);
}

static void a_device_may_take_its_time(void) {
  begin("until4");
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DIED);
  ASSERT_EQ_STR(phase_name(ending.phase), "run");
  ASSERT_EQ_INT(pool_worker_for(&pool, &plan_case, &member, &error), 0);
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  end(5);
}

static void but_not_for_ever(void) {
  begin("never");
  pool.recovery_s = 1;
  ask();
  ASSERT_EQ_INT(ending.kind, ENDING_DIED);
  double before = (double)clock_now_ns() * 1e-9;
  ASSERT_EQ_INT(pool_worker_for(&pool, &plan_case, &member, &error), -1);
  ASSERT_TRUE((double)clock_now_ns() * 1e-9 - before < 20);
  ASSERT_EQ_INT(error.exit_code, EXIT_DEVICE);
  ASSERT_HAS(error.text, " s after a worker on it ended: the device is not what it was");
  ASSERT_TRUE(started() >= 3); /* the worker that died, and more than one attempt */
  end(started());
}

/* ---- Alone ---- */

static struct pool_worker *alone_for(size_t provider) {
  struct pool_worker *found = NULL;
  ASSERT_EQ_INT(pool_worker_alone(&pool, 0, provider, &found, &error), 0);
  ASSERT_EQ_STR(error.text, "");
  return found;
}

static void the_provider_and_the_owner_alone(void) {
  begin("good");
  ASSERT_TRUE(!pool_has_alone(&pool, 0, 1) && pool_alone_start_s(&pool, 0, 1) > 0);
  struct pool_worker *owner = alone_for(0), *guest = alone_for(1);
  ASSERT_TRUE(owner != member && guest != member && owner != guest);
  ASSERT_EQ_INT(owner->plugin_count, 1);
  ASSERT_EQ_INT(guest->plugin_count, 2);
  ASSERT_TRUE(alone_for(0) == owner && alone_for(1) == guest);
  ASSERT_TRUE(pool_has_alone(&pool, 0, 1));
  /* a worker that runs plugins alone does not serve a whole case, although it has the same plugins */
  ASSERT_TRUE(!pool_serves(owner, &plan_case));
  struct pool_worker *in_company = NULL;
  ASSERT_EQ_INT(pool_worker_for(&pool, &plan_case, &in_company, &error), 0);
  ASSERT_TRUE(in_company == member);
  pool_renew(&pool);
  ASSERT_TRUE(member->worker == NULL && owner->worker != NULL && guest->worker != NULL);
  pool_dismiss_alone(&pool, 0, 1);
  ASSERT_TRUE(owner->worker != NULL && guest->worker == NULL && !pool_has_alone(&pool, 0, 1));
  pool_dismiss_all(&pool);
  ASSERT_TRUE(owner->worker == NULL && guest->worker == NULL);
  end(3);
}

/* Returns how far the counters of the other workers advance while this worker is asked; *own is its own count. */
static unsigned long others_ticks(const _Atomic unsigned long *ticks, struct pool_worker *asked, int mine,
                                  unsigned long *own) {
  unsigned long others = 0, before[WORKERS_MOST];
  pool_ask(&pool, asked, MSG_SET, "x", 2, NULL, &ending); /* from now on the others are frozen */
  for (int i = 0; i < WORKERS_MOST; i++)
    before[i] = ticks[i];
  pool_ask(&pool, asked, MSG_RUN, "x", 2, NULL, &ending);
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  for (int i = 0; i < WORKERS_MOST; i++)
    others += i == mine ? 0 : ticks[i] - before[i];
  *own = ticks[mine] - before[mine];
  return others;
}

static void others_are_frozen_with_all_that_they_started(void) {
  const _Atomic unsigned long *ticks = map_ticks();
  begin("counts");
  struct pool_worker *const workers[] = {member, alone_for(0), alone_for(1)};
  unsigned long own_in_all = 0;
  for (int turn = 0; turn < 9 && ticks != NULL; turn++) {
    unsigned long own = 0, others = others_ticks(ticks, workers[turn % 3], 1 + turn % 3, &own);
    ASSERT_EQ_INT(others, 0);
    own_in_all += own; /* summed over all, because on a busy machine a child may get no processor time while one of them
                          is asked */
  }
  ASSERT_TRUE(ticks == NULL || own_in_all > 0);
  end(3);
}

/* A frozen worker can be ended. */
static void a_frozen_one_leaves(void) {
  begin("counts");
  struct pool_worker *guest = alone_for(1);
  pool_ask(&pool, guest, MSG_RUN, "x", 2, NULL, &ending);
  ASSERT_TRUE(member->frozen && !guest->frozen);
  pool_dismiss(member);
  ASSERT_TRUE(!member->frozen && member->worker == NULL);
  end(2);
}

static void who_cannot_be_brought_to_rest_is_put_away(void) {
  begin("restless");
  pool.timeout_s = 0.3;
  struct pool_worker *guest = alone_for(1);
  ASSERT_TRUE(member->worker == NULL && member->died && guest->worker != NULL);
  ASSERT_EQ_STR(logged.plugin, "x");
  ASSERT_HAS(logged.text, "could not be brought to rest");
  end(2);
}

int main(int argc, char **argv) {
  static const struct unit_test tests[] = {UNIT_TEST(one_worker_serves_on),
                                           UNIT_TEST(an_early_death_costs_nothing),
                                           UNIT_TEST(a_death_while_idle_costs_nothing),
                                           UNIT_TEST(but_only_once),
                                           UNIT_TEST(a_device_may_take_its_time),
                                           UNIT_TEST(but_not_for_ever),
                                           UNIT_TEST(the_provider_and_the_owner_alone),
                                           UNIT_TEST(others_are_frozen_with_all_that_they_started),
                                           UNIT_TEST(a_frozen_one_leaves),
                                           UNIT_TEST(who_cannot_be_brought_to_rest_is_put_away)};
  (void)argv;
  if (argc > 1) play(getenv(ACTOR)); /* never runs the tests, which would start more workers */
  int fd = mkstemp(counter);
  if (fd >= 0) close(fd);
  fd = mkstemp(ticks_path);
  if (fd < 0 || ftruncate(fd, WORKERS_MOST * sizeof(unsigned long)) != 0) return 1;
  close(fd);
  setenv(TICKS, ticks_path, 1);
  alarm(1000);
  int failed = unit_run("crew", tests, sizeof tests / sizeof tests[0]);
  unlink(counter);
  unlink(ticks_path);
  return failed;
}
