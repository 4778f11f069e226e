/* Tests how untimed work (what the threads of a variant do before a call) is found: which calls are examined, and the
 * messages about them. */
#include "measure/audit/untimed.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture_case.h"
#include "measure/audit/sample_inputs.h"
#include "measure/sampling.h"

struct stage {
  struct bed bed;
  struct case_request request;
  struct measure_sink sink;
  struct variant variants[2];
  struct contestant contestants[2];
  struct measurement m;
  struct untimed_message heard;
  int count;
};

static void hear(void *user, const struct untimed_message *message) {
  struct stage *s = (struct stage *)user;
  s->heard = *message;
  s->count++;
}

static void stage_open(struct stage *s) {
  *s = (struct stage){.request = {.mode = {TIMING_COLD, LOAD_PLAIN}}};
  bed_open(&s->bed);
  s->sink = (struct measure_sink){.user = s, .untimed = hear};
  for (uint32_t i = 0; i < 2; i++)
    s->contestants[i] = (struct contestant){
        .c = s->bed.c, .sink = &s->sink, .index = i, .variant = &s->variants[i], .cost_ns = 1e6, .slot_wall_ns = 5e6};
  s->m = (struct measurement){
      .c = s->bed.c, .request = &s->request, .contestants = s->contestants, .count = 1, .secret = 7};
}

static int chosen_of(struct stage *s, int slots) {
  int chosen = 0;
  for (int i = 0; i < slots; i++) {
    const uint32_t sample = sampling_watches(&s->m, &s->contestants[0], 10);
    ASSERT_TRUE(sample <= 10);
    chosen += sample != 0;
  }
  return chosen;
}

static void first_slots_are_watched_more(void) {
  struct stage s;
  stage_open(&s);
  const int first = chosen_of(&s, 1000);
  ASSERT_TRUE(first > 400 && first < 600);
  s.contestants[0].ahead.count = 2;
  const int later = chosen_of(&s, 1000);
  ASSERT_TRUE(later > 80 && later < 170);
  s.contestants[0].ahead.waited_s = 0.2; /* a long wait is repeated rarely */
  ASSERT_TRUE(chosen_of(&s, 1000) < 20);
  bed_close(&s.bed);
}

static void threads_of_two_plugins_cannot_be_told_apart(void) {
  struct stage s;
  stage_open(&s);
  s.variants[1].plugin = (struct plugin *)&s;
  ASSERT_TRUE(chosen_of(&s, 1000) > 0);
  s.m.count = 2;
  ASSERT_EQ_INT(chosen_of(&s, 1000), 0);
  s.variants[0].plugin = (struct plugin *)&s;
  ASSERT_TRUE(chosen_of(&s, 1000) > 0);
  bed_close(&s.bed);
}

static double thread_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void *work(void *context) {
  (void)context;
  while (thread_ns() < 3e6)
    ;
  return NULL;
}

static void let_work(void) {
  pthread_t thread;
  ASSERT_EQ_INT(pthread_create(&thread, NULL, work, NULL), 0);
  pthread_join(thread, NULL);
}

/* Work of a thread between untimed_ahead_begins() and untimed_ahead_ends(), while new inputs are written, is counted.
 * Earlier work is not. */
static void work_between_counts(void) {
  struct stage s;
  stage_open(&s);
  s.contestants[0].ahead.share = 0.25;
  let_work();
  untimed_ahead_begins(&s.contestants[0]);
  untimed_ahead_ends(&s.contestants[0]);
  ASSERT_EQ_INT(s.count, 1);
  ASSERT_EQ_INT(s.heard.kind, UNTIMED_AHEAD);
  ASSERT_EQ_INT(s.heard.stage, UNTIMED_COUNTS);
  ASSERT_NEAR(s.heard.slots, 4, 0);
  ASSERT_TRUE(s.heard.gap_ns < 1e6);
  untimed_ahead_begins(&s.contestants[0]);
  let_work();
  untimed_ahead_ends(&s.contestants[0]);
  ASSERT_TRUE(s.heard.gap_ns > 2.9e6);
  ASSERT_EQ_INT(s.contestants[0].ahead.count, 2);
  bed_close(&s.bed);
}

static void a_childs_work_counts(void) {
  struct stage s;
  stage_open(&s);
  s.contestants[0].ahead.share = 1;
  untimed_ahead_begins(&s.contestants[0]);
  const pid_t child = fork();
  if (child == 0) {
    work(NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  untimed_ahead_ends(&s.contestants[0]);
  ASSERT_TRUE(s.heard.gap_ns > 2e6);
  bed_close(&s.bed);
}

static atomic_bool quit;

static void *spin(void *context) {
  (void)context;
  while (!quit)
    ;
  return NULL;
}

/* untimed_ahead_begins() waits until the other threads are idle, but not for ever. A thread that never stops is
 * counted with the time that it works afterwards. */
static void who_is_never_idle_is_counted(void) {
  struct stage s;
  pthread_t thread;
  stage_open(&s);
  s.contestants[0].ahead.share = 1;
  ASSERT_EQ_INT(pthread_create(&thread, NULL, spin, NULL), 0);
  untimed_ahead_begins(&s.contestants[0]);
  ASSERT_TRUE(s.contestants[0].ahead.waited_s > 0.2); /* it also waits for a thread that gets no processor */
  ASSERT_TRUE(others_want_processor());
  usleep(300000);
  untimed_ahead_ends(&s.contestants[0]);
  ASSERT_TRUE(s.heard.gap_ns > 1e6);
  quit = true;
  pthread_join(thread, NULL);
  ASSERT_TRUE(!others_want_processor());
  bed_close(&s.bed);
}

static void the_watched_sample_is_taken_out(void) {
  struct rotation rotation = {.watched = 3, .inputs = {INPUTS_LEFT, INPUTS_AGAIN, INPUTS_NEW, INPUTS_AGAIN}};
  double ns[] = {1, 2, 3, 4};
  sample_inputs_take_out(&rotation, ns, 4);
  ASSERT_NEAR(ns[1], 2, 0);
  ASSERT_NEAR(ns[2], 4, 0);
  ASSERT_EQ_INT(rotation.inputs[2], INPUTS_AGAIN);
  rotation.watched = 1;
  sample_inputs_take_out(&rotation, ns, 3);
  ASSERT_NEAR(ns[0], 2, 0);
  ASSERT_NEAR(ns[1], 4, 0);
}

UNIT_MAIN("untimed", UNIT_TEST(first_slots_are_watched_more), UNIT_TEST(threads_of_two_plugins_cannot_be_told_apart),
          UNIT_TEST(work_between_counts), UNIT_TEST(a_childs_work_counts), UNIT_TEST(who_is_never_idle_is_counted),
          UNIT_TEST(the_watched_sample_is_taken_out))
