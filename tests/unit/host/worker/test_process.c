/* Tests workers from the parent's side. A worker is this program, started again: as a real worker, or as an actor, a
 * function of this file that misbehaves in some way. */
#include "worker/process.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ask/describe.h"
#include "ask/run_case.h"
#include "ask/supports.h"
#include "base/clock.h"
#include "options/selection.h"
#include "plan/build.h"
#include "unit.h"
#include "worker/signals.h"
#include "worker/wire.h"
#include "worker/worker.h"

#define ACTOR "GPUBENCH_TEST_ACTOR"
enum { SKIPPED = 77 };

/* ---- Actors, in the worker process ---- */

static void say(const char *text) {
  struct log_message log = {.level = 1};
  text_copy(log.text, sizeof log.text, text);
  wire_send(WORKER_SOCKET_FD, MSG_LOG, &log, sizeof log);
}

static void done(void) {
  wire_send(WORKER_SOCKET_FD, MSG_DONE, NULL, 0);
}

static void wait_for_ever(void) {
  for (;;)
    pause();
}

/* Sends log messages without end within a callback. */
static void act_flood(struct phase_page *page) {
  for (phase_enter(page, PHASE_OPEN, -1);;)
    say("flood");
}

/* Prints without end. */
static void act_chatter(struct phase_page *page) {
  static char block[1 << 16];
  memset(block, 'c', sizeof block);
  for (phase_enter(page, PHASE_RUN, 2);;)
    if (write(1, block, sizeof block) < 0) _exit(1);
}

static void act_broken(struct phase_page *page) {
  const struct wire_head head = wire_head(MSG_LOG, 0xFFFFFFFFU);
  phase_enter(page, PHASE_SETUP, -1);
  if (write(WORKER_SOCKET_FD, &head, sizeof head) < 0) _exit(1);
  wait_for_ever();
}

/* Closes the socket to the parent, as a plugin may that closes descriptors which it did not open, and does not
 * return. */
static void act_hang_up(struct phase_page *page) {
  phase_enter(page, PHASE_PREPARE, 1);
  close(WORKER_SOCKET_FD);
  wait_for_ever();
}

static void act_mute(struct phase_page *page) {
  (void)page;
  close(1);
  close(2);
  usleep(400000);
  done();
}

static void act_deaf(struct phase_page *page) {
  signal(SIGTERM, SIG_IGN);
  phase_enter(page, PHASE_RUN, 0);
  wait_for_ever();
}

/* act_still() and act_busy() never answer, although no callback is running: one sleeps, the other one uses the
 * processor. */
static void act_still(struct phase_page *page) {
  (void)page;
}

static void act_busy(struct phase_page *page) {
  (void)page;
  for (volatile int forever = 1; forever;)
    continue;
}

/* Answers after 2.4 s. Meanwhile it reports progress or sends messages. */
static void act_slow(struct phase_page *page) {
  for (int i = 0; i < 24; i++) {
    usleep(100000);
    if (i % 2 == 0) phase_go_on(page);
    if (i % 2 != 0) say("on and on");
  }
  done();
}

static void act_zero(struct phase_page *page) {
  phase_enter(page, PHASE_RUN, 3);
  usleep(60000);
  memset(page, 0, sizeof *page);
}

static void act_last_words(struct phase_page *page) {
  static const char text[] = "first\nlast \x1B[31mwo\0rds\r\n\n";
  phase_enter(page, PHASE_VERIFY, 4);
  if (write(2, text, sizeof text - 1) < 0) _exit(1);
  _exit(5);
}

/* Sends texts that have no terminating NUL. */
static void act_endless_texts(struct phase_page *page) {
  struct device_facts facts;
  struct message message;
  (void)page;
  memset(&facts, 'x', sizeof facts);
  facts.name[0] = '\x1B';
  while (wire_receive(WORKER_SOCKET_FD, &message) == 0) {
    if (message.type == MSG_DEVICE) wire_send(WORKER_SOCKET_FD, MSG_FACTS, &facts, sizeof facts);
    done();
    free(message.payload);
  }
  _exit(0);
}

static void act_bad_failure(struct phase_page *page) {
  struct err err;
  (void)page;
  memset(&err, 'x', sizeof err);
  err.exit_code = 0;
  err.text[0] = '\n';
  wire_send(WORKER_SOCKET_FD, MSG_FAILED, &err, sizeof err);
  _exit(0);
}

static void act_mute_failure(struct phase_page *page) {
  const struct err err = {.exit_code = EXIT_REGRESSION};
  (void)page;
  wire_send(WORKER_SOCKET_FD, MSG_FAILED, &err, sizeof err);
  _exit(0);
}

/* Sends messages until it is asked to stop. */
static void act_stream(struct phase_page *page) {
  while (atomic_load(&page->stop) == 0)
    say("stream");
  done();
}

static const struct {
  const char *name;
  void (*act)(struct phase_page *page);
} actors[] = {{"flood", act_flood},
              {"chatter", act_chatter},
              {"broken", act_broken},
              {"hang_up", act_hang_up},
              {"mute", act_mute},
              {"deaf", act_deaf},
              {"still", act_still},
              {"busy", act_busy},
              {"slow", act_slow},
              {"zero", act_zero},
              {"last_words", act_last_words},
              {"endless_texts", act_endless_texts},
              {"bad_failure", act_bad_failure},
              {"mute_failure", act_mute_failure},
              {"stream", act_stream}};

static void play(const char *name) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct phase_page *page =
      mmap(NULL, sizeof(struct phase_page), PROT_READ | PROT_WRITE, MAP_SHARED, WORKER_PAGE_FD, 0);
  struct pollfd asked = {.fd = WORKER_SOCKET_FD, .events = POLLIN};
  poll(&asked, 1, -1);
  for (size_t i = 0; page != MAP_FAILED && i < sizeof actors / sizeof actors[0]; i++)
    if (strcmp(actors[i].name, name) == 0) actors[i].act(page);
  wait_for_ever();
}

/* ---- The parent ---- */

static struct ending ending;
static struct worker_process *worker;

static void start(const char *actor) {
  struct err err = {0};
  if (actor != NULL)
    setenv(ACTOR, actor, 1);
  else
    unsetenv(ACTOR);
  ASSERT_EQ_INT(process_start(&worker, false, &err), 0);
  ASSERT_EQ_STR(err.text, "");
}

static void ask(enum message_type type, const char *text, double timeout_s) {
  process_ask(worker, type, text, strlen(text) + 1, NULL, call_limit_of(timeout_s), &ending);
}

static double now_s(void) {
  return (double)clock_now_ns() * 1e-9;
}

/* Stops the worker, which must not take long or leave a process. */
static void stop(void) {
  double before = now_s();
  process_stop(worker);
  worker = NULL;
  ASSERT_TRUE(now_s() - before < 3);
  ASSERT_TRUE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void ends(enum ending_kind kind, enum phase phase, int variant, const char *how) {
  ASSERT_EQ_INT(ending.kind, kind);
  ASSERT_EQ_STR(phase_name(ending.phase), phase_name(phase));
  ASSERT_EQ_INT(ending.variant, variant);
  ASSERT_EQ_STR(ending.how, how);
}

/* ---- Real workers ---- */

static void starts_and_stops(void) {
  start(NULL);
  stop();
  for (int i = 0; i < 3; i++) { /* repeatedly */
    start(NULL);
    stop();
  }
  process_stop(NULL);
}

static void answers_that_it_cannot(void) {
  start(NULL);
  ask(MSG_LOAD, "/nowhere/x.so", 10);
  ASSERT_EQ_INT(ending.kind, ENDING_FAILED);
  ASSERT_EQ_INT(ending.err.exit_code, EXIT_FAILED);
  ASSERT_EQ_STR(ending.err.text, "/nowhere/x.so: No such file or directory");
  ask((enum message_type)99, "", 10);
  ASSERT_EQ_INT(ending.kind, ENDING_FAILED);
  ASSERT_EQ_STR(ending.err.text, "unknown request 99");
  ask(MSG_DEVICE, "abacus", 10);
  ASSERT_EQ_INT(ending.kind, ENDING_FAILED);
  ASSERT_HAS(ending.err.text, "device 'abacus' is unknown");
  ask(MSG_RUN, "too short", 10);
  ASSERT_EQ_INT(ending.kind, ENDING_FAILED);
  ASSERT_TRUE(ending.err.exit_code != 0);
  stop();
}

static void take_facts(void *user, const struct message *message) {
  struct device_facts *facts = user;
  if (message->type == MSG_FACTS && wire_as(message, sizeof *facts)) memcpy(facts, message->payload, sizeof *facts);
}

static void hands_messages_on(void) {
  struct device_facts facts = {0};
  const struct listener listener = {.user = &facts, .message = take_facts};
  start(NULL);
  process_ask(worker, MSG_DEVICE, "cpu", 4, &listener, call_limit_of(10), &ending);
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  ASSERT_EQ_STR(facts.backend, "cpu");
  ask(MSG_DEVICE, "cpu", 10);
  ASSERT_EQ_STR(ending.err.text, "a device is open already");
  stop();
}

static void dies_with_its_parent(void) {
  int fds[2];
  ASSERT_EQ_INT(pipe(fds), 0);
  fflush(stdout);
  pid_t parent = fork();
  if (parent == 0) {
    struct err err = {0};
    unsetenv(ACTOR);
    bool started = process_start(&worker, false, &err) == 0;
    if (started) process_ask(worker, MSG_DEVICE, "cpu", 4, NULL, call_limit_of(10), &ending); /* it serves requests */
    if (!started || write(fds[1], "x", 1) != 1) _exit(1);
    raise(SIGKILL);
  }
  char byte = 0;
  close(fds[1]); /* no worker has a copy, so the pipe is closed when the parent dies */
  ASSERT_EQ_INT(read(fds[0], &byte, 1), 1);
  ASSERT_EQ_INT(waitpid(parent, NULL, 0), parent);
  ASSERT_EQ_INT(read(fds[0], &byte, 1), 0);
  close(fds[0]);
}

/* ---- Actors ---- */

static void a_death_is_told(void) {
  start("last_words");
  ask(MSG_LOAD, "x", 10);
  ends(ENDING_DIED, PHASE_VERIFY, 4, "exited with status 5");
  ASSERT_EQ_STR(ending.tail, "last ?[31mwo?rds");
  ask(MSG_LOAD, "x", 10); /* the worker is gone */
  ASSERT_EQ_INT(ending.kind, ENDING_DIED);
  ASSERT_TRUE(ending.how[0] != '\0');
  stop();
}

static void a_hang_is_ended(void) {
  double before = now_s();
  start("deaf");
  ask(MSG_LOAD, "x", 0.2);
  ends(ENDING_TIMEOUT, PHASE_RUN, 0, "no return within 0.2 s");
  ASSERT_TRUE(now_s() - before < 3);
  stop();
}

static void the_host_s_own_code_has_a_limit(void) {
  double before = now_s();
  start("still");
  ask(MSG_LOAD, "x", 0.2);
  ends(ENDING_TIMEOUT, PHASE_IDLE, -1, "no progress within 0.2 s");
  ASSERT_TRUE(now_s() - before < 3);
  stop();
  before = now_s();
  start("busy");
  ask(MSG_LOAD, "x", 0.2);
  ends(ENDING_TIMEOUT, PHASE_IDLE, -1, "no progress within 0.2 s");
  printf("busy for %.1f s ", now_s() - before); /* 2 s if the machine lets it work */
  stop();
  start("slow");
  ask(MSG_LOAD, "x", 2);
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  stop();
}

static void a_page_of_nobody_s_ends_it(void) {
  double before = now_s();
  start("zero");
  ask(MSG_LOAD, "x", 60);
  ends(ENDING_DIED, PHASE_RUN, 3, "overwrote the page that it shares with the host");
  ASSERT_TRUE(now_s() - before < 3);
  stop();
}

/* Messages and output do not extend the limit. */
static void noise_does_not_put_the_limit_off(void) {
  start("flood");
  ask(MSG_LOAD, "x", 0.2);
  ends(ENDING_TIMEOUT, PHASE_OPEN, -1, "no return within 0.2 s");
  stop();
  start("chatter");
  ask(MSG_LOAD, "x", 0.2);
  ends(ENDING_TIMEOUT, PHASE_RUN, 2, "no return within 0.2 s");
  ASSERT_HAS(ending.tail, "cccc");
  stop();
}

static void stopping_does_not_wait_for_the_deaf(void) {
  start("deaf");
  usleep(100000);
  stop();
}

static void a_worker_that_breaks_the_line_is_ended(void) {
  start("broken");
  ask(MSG_LOAD, "x", 60);
  ends(ENDING_DIED, PHASE_SETUP, -1, "hung up");
  stop();
  start("hang_up");
  ask(MSG_LOAD, "x", 60);
  ends(ENDING_DIED, PHASE_PREPARE, 1, "hung up");
  stop();
}

/* A closed pipe always polls as ready; polling it in a loop would take a processor from the measurement. */
static void a_closed_output_costs_nothing(void) {
  start("mute");
  clock_t before = clock();
  ask(MSG_LOAD, "x", 60);
  double used_s = (double)(clock() - before) / CLOCKS_PER_SEC;
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  if (used_s > 0.15) UNIT_FAIL("%g s of processor time to wait 0.4 s", used_s);
  stop();
}

static void failures_are_made_safe(void) {
  start("bad_failure");
  ask(MSG_LOAD, "x", 60);
  ASSERT_EQ_INT(ending.kind, ENDING_FAILED);
  /* the worker sent the exit code 0, which the parent replaces */
  ASSERT_EQ_INT(ending.err.exit_code, EXIT_FAILED);
  ASSERT_EQ_INT(strlen(ending.err.text), sizeof ending.err.text - 1);
  ASSERT_EQ_INT(ending.err.text[0], '?');
  stop();
  start("mute_failure");
  ask(MSG_LOAD, "x", 60);
  ASSERT_EQ_INT(ending.err.exit_code, EXIT_FAILED); /* no worker can report a regression */
  ASSERT_EQ_STR(ending.err.text, "its worker failed without a message");
  stop();
}

static void no_log(const struct log_message *message) {
  (void)message;
}

static void facts_are_made_safe(void) {
  struct catalog_plugin plugin = {.path = "/x.so"};
  const struct catalog catalog = {&plugin, 1};
  struct pool pool = {.catalog = &catalog, .device = "cpu", .timeout_s = 10, .log = no_log};
  struct pool_worker *member;
  struct plan_case plan_case = {0};
  struct err err = {0};
  setenv(ACTOR, "endless_texts", 1);
  ASSERT_EQ_INT(pool_worker_for(&pool, &plan_case, &member, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  ASSERT_EQ_INT(strlen(pool.facts.backend), ID_SIZE - 1);
  ASSERT_EQ_INT(strlen(pool.facts.spec), TEXT_SIZE - 1);
  ASSERT_EQ_INT(strlen(pool.facts.name), TEXT_SIZE - 1);
  ASSERT_EQ_INT(pool.facts.name[0], '?');
  ASSERT_EQ_INT(strlen(pool.facts.uuid), ID_SIZE - 1);
  ASSERT_EQ_INT(strlen(pool.facts.driver), ID_SIZE - 1);
  ASSERT_EQ_INT(strlen(pool.facts.runtime), ID_SIZE - 1);
  pool_free(&pool);
  ASSERT_TRUE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* ---- Test plugins ---- */

static char plugins[4096];

static bool find_plugins(void) {
  const char *given = getenv("GPUBENCH_TEST_PLUGINS");
  char probe[4200];
  ssize_t length = readlink("/proc/self/exe", plugins, sizeof plugins - 64);
  plugins[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(plugins, '/');
  if (slash != NULL) text_copy(slash, 64, "/plugins"); /* next to this binary, as the build has it */
  if (given != NULL) text_copy(plugins, sizeof plugins, given);
  snprintf(probe, sizeof probe, "%s/bad_crash.so", plugins);
  return access(probe, R_OK) == 0;
}

static const char *plugin(const char *name) {
  static char path[4200];
  snprintf(path, sizeof path, "%s/%s.so", plugins, name);
  return path;
}

static double processor_s(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* A worker that is restarted delays the measurement of the other variants, so the parent must not sleep meanwhile.
 * Repeats the measurement for as long as a busy machine may need. The bound is 30 times the processor time of one
 * start, because other processes use the processors as well. */
static void a_restart_waits_for_nothing(void) {
  double best = 9, work = 0;
  for (const double end = now_s() + 60; now_s() < end && best > fmax(0.1, 30 * work);) {
    const double before = now_s(), worked = processor_s(RUSAGE_SELF) + processor_s(RUSAGE_CHILDREN);
    start(NULL);
    ask(MSG_DEVICE, "cpu", 100);
    ASSERT_EQ_INT(ending.kind, ENDING_DONE);
    ask(MSG_LOAD, plugin("ok_vector"), 100);
    ASSERT_EQ_INT(ending.kind, ENDING_DONE);
    stop();
    best = fmin(best, now_s() - before);
    work = processor_s(RUSAGE_SELF) + processor_s(RUSAGE_CHILDREN) - worked;
  }
  printf("%.1f ms, %.1f of work ", best * 1e3, work * 1e3);
  if (best > fmax(0.1, 30 * work))
    UNIT_FAIL("a worker takes %.3f s to start, open the device, load a plugin and leave, %.3f of it work", best, work);
}

static void open_may_crash(void) {
  start(NULL);
  ask(MSG_LOAD, plugin("bad_open_segv"), 20);
  ends(ENDING_DIED, PHASE_OPEN, -1, "SIGSEGV");
  stop();
}

static void open_may_hang(void) {
  start(NULL);
  ask(MSG_LOAD, plugin("bad_open_hang"), 0.3);
  ends(ENDING_TIMEOUT, PHASE_OPEN, -1, "no return within 0.3 s");
  stop();
}

static void plugins_are_described(void) {
  struct catalog catalog = {0};
  struct err err = {0};
  size_t index = 9;
  unsetenv(ACTOR);
  ASSERT_EQ_INT(describe_plugin(&catalog, plugin("ok_vector"), LOADER_TYPED, 20, &index, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  if (catalog.count == 0) return;
  ASSERT_EQ_INT(index, 0);
  /* already described */
  ASSERT_EQ_INT(describe_plugin(&catalog, plugin("ok_vector"), LOADER_TYPED, 20, &index, &err), 0);
  ASSERT_EQ_INT(catalog.count, 1);
  ASSERT_EQ_STR(catalog.plugins[0].desc.id, "vector");
  ASSERT_EQ_INT(strlen(catalog.plugins[0].sha256), 64);
  ASSERT_EQ_STR(catalog.plugins[0].benches[0].axes[1].choices, "fp32,bf16");
  ASSERT_EQ_STR(catalog.plugins[0].variants[2].name, "blocked");
  static const char *const bad[][2] = {{"bad_open_segv", "bad_open_segv.so: SIGSEGV in open"},
                                       {"bad_open_hang", "bad_open_hang.so: no return within 0.3 s in open"},
                                       {"bad_open_message", "plugin 'bad': open: the moon is in the wrong house"},
                                       {"bad_none", "no gb_plugin_v1 in it: not a gpubench plugin"},
                                       {"bad_text", "not an ELF file"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    err = (struct err){0};
    ASSERT_EQ_INT(describe_plugin(&catalog, plugin(bad[i][0]), LOADER_TYPED, i == 1 ? 0.3 : 20, &index, &err), -1);
    ASSERT_HAS(err.text, bad[i][1]);
    ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
    ASSERT_EQ_INT(catalog.count, 1);
  }
  catalog_free(&catalog);
  ASSERT_TRUE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static const char *statuses(const struct plan *plan, const struct case_result *result) {
  static char text[1024];
  size_t used = 0;
  for (size_t i = 0; i < result->count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", i ? ", " : "", plan->cases[0].variants[i].name,
                             row_status_name(result->variants[i].status));
  return text;
}

/* Variants crash their worker one after another; the others are still measured. */
static void survivors_are_run_again(void) {
  static const char *const variants[] = {"good", "segv", "abort", "exit_at_once", "prepare", "loop", "other"};
  struct catalog catalog = {0};
  struct selection wanted;
  struct plan plan;
  struct case_result result;
  struct err err = {0};
  size_t index;
  unsetenv(ACTOR);
  ASSERT_EQ_INT(describe_plugin(&catalog, plugin("bad_crash"), LOADER_TYPED, 20, &index, &err), 0);
  selection_init(&wanted, "test");
  for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
    strings_add(&wanted.variants, variants[i]);
  ASSERT_EQ_INT(plan_build(&catalog, &wanted, 1, "cpu", &plan, &err), 0);
  struct pool pool = {.catalog = &catalog, .device = "cpu", .timeout_s = 0.5, .log = no_log};
  const struct run_case_settings settings = {.precision = 0.05, .case_time_s = 0.05, .seed = 1, .verify_only = true};
  ASSERT_EQ_INT(ask_supports(&pool, plan.cases, plan.count, &err), 0);
  ASSERT_EQ_INT(ask_run_case(&pool, &plan.cases[0], &settings, &result, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  ASSERT_EQ_STR(statuses(&plan, &result),
                "good ok, segv crashed, abort crashed, exit_at_once crashed, prepare crashed, loop timeout, other ok");
  ASSERT_EQ_STR(result.variants[1].message, "SIGSEGV in run of bad/crash/segv");
  ASSERT_EQ_STR(result.variants[3].message, "exited with status 0 in run of bad/crash/exit_at_once");
  ASSERT_EQ_STR(result.variants[4].message, "SIGSEGV in prepare of bad/crash/prepare");
  ASSERT_EQ_STR(result.variants[5].message, "no return within 0.5 s in run of bad/crash/loop");
  case_result_free(&result);
  plan_free(&plan);
  selection_free(&wanted);
  pool_free(&pool);
  catalog_free(&catalog);
  ASSERT_TRUE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* ---- Signals: they are remembered, so these tests come last ---- */

static void the_first_signal_asks_for_an_end(void) {
  signals_catch();
  ASSERT_EQ_INT(signals_last(), 0);
  start("stream"); /* sends messages without a pause; started now, because a worker has one second after the signal */
  raise(SIGINT);
  raise(SIGINT); /* right after the first: the same signal, sent to the process and to its group */
  ASSERT_EQ_INT(signals_last(), SIGINT);
  ASSERT_TRUE(!signals_insisted());
  ask(MSG_LOAD, "x", 60);
  ASSERT_EQ_INT(ending.kind, ENDING_DONE);
  stop();
}

static void the_second_one_insists(void) {
  usleep(250000);
  raise(SIGTERM);
  ASSERT_TRUE(signals_insisted());
  ASSERT_EQ_INT(signals_last(), SIGTERM);
  start("deaf");
  ask(MSG_LOAD, "x", 60);
  ASSERT_EQ_INT(ending.kind, ENDING_INTERRUPTED);
  ASSERT_EQ_STR(ending.how, "interrupted");
  stop();
}

/* Keeps a sanitizer from turning the plugins' crashes into normal exits. */
static void let_workers_crash(void) {
  static const char *const names[] = {"ASAN_OPTIONS", "TSAN_OPTIONS"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *given = getenv(names[i]);
    char options[1024];
    snprintf(options, sizeof options, "%s%shandle_segv=0:handle_abort=0", given ? given : "", given ? ":" : "");
    setenv(names[i], options, 1);
  }
}

int main(int argc, char **argv) {
  static const struct unit_test always[] = {UNIT_TEST(starts_and_stops),
                                            UNIT_TEST(answers_that_it_cannot),
                                            UNIT_TEST(hands_messages_on),
                                            UNIT_TEST(dies_with_its_parent),
                                            UNIT_TEST(a_death_is_told),
                                            UNIT_TEST(a_hang_is_ended),
                                            UNIT_TEST(the_host_s_own_code_has_a_limit),
                                            UNIT_TEST(a_page_of_nobody_s_ends_it),
                                            UNIT_TEST(noise_does_not_put_the_limit_off),
                                            UNIT_TEST(stopping_does_not_wait_for_the_deaf),
                                            UNIT_TEST(a_worker_that_breaks_the_line_is_ended),
                                            UNIT_TEST(a_closed_output_costs_nothing),
                                            UNIT_TEST(failures_are_made_safe),
                                            UNIT_TEST(facts_are_made_safe)};
  static const struct unit_test with_plugins[] = {UNIT_TEST(a_restart_waits_for_nothing), UNIT_TEST(open_may_crash),
                                                  UNIT_TEST(open_may_hang), UNIT_TEST(plugins_are_described),
                                                  UNIT_TEST(survivors_are_run_again)};
  static const struct unit_test signals[] = {UNIT_TEST(the_first_signal_asks_for_an_end),
                                             UNIT_TEST(the_second_one_insists)};
  if (argc > 1) { /* never runs the tests, which would start more workers */
    if (getenv(ACTOR) != NULL) play(getenv(ACTOR));
    if (argc != 4) return 2;
    worker_main(atoi(argv[2]), argv[3]);
  }
  alarm(1000); /* a parent that hangs is a failure as well */
  let_workers_crash();
  bool found = find_plugins();
  int failed = unit_run("supervisor", always, sizeof always / sizeof always[0]);
  if (found) failed |= unit_run("supervisor, plugins", with_plugins, sizeof with_plugins / sizeof with_plugins[0]);
  failed |= unit_run("supervisor, signals", signals, sizeof signals / sizeof signals[0]);
  if (!found) printf("no test plugins in %s: their part was skipped\n", plugins);
  return failed ? 1 : found ? 0 : SKIPPED;
}
