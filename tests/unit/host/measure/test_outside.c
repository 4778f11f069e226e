/* Batches for the parent's clock: how many there are. */
#include "measure/outside.h"

#include <math.h>
#include <time.h>

#include "fixture_contest.h"
#include "unit.h"

enum { DISTURBED = 12 }; /* calls, of the first batches */

static struct {
  int left; /* disturbed calls to come */
  double shortest_ns, longest_ns;
  int batches;
} heard;

static void sleep_ms(long ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Something else has the machine when the batches begin. */
static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  sleep_ms(heard.left > 0 ? 4 : 1);
  heard.left -= heard.left > 0;
  return contest_run(self, c, vstate);
}

static void hear(void *user, const struct mark_message *mark) {
  (void)user;
  if (mark->variant == UINT32_MAX) return;
  if (mark->begins && heard.batches++ == 0) heard.left = DISTURBED;
  if (mark->begins) return;
  const double each_ns = mark->claimed_ns / (double)mark->iterations;
  heard.shortest_ns = fmin(heard.shortest_ns, each_ns);
  heard.longest_ns = fmax(heard.longest_ns, each_ns);
}

static void a_disturbance_is_waited_for(void) {
  struct contest *k = contest_open(&contest_bench, NULL);
  heard.shortest_ns = INFINITY;
  contest_add(k, GOOD)->run = run;
  k->mark = hear;
  contest_measure(k);
  ASSERT_EQ_INT(k->rc, 0);
  ASSERT_TRUE(heard.batches > 0 && heard.left == 0);
  ASSERT_TRUE(heard.shortest_ns < 0.75 * heard.longest_ns);
  contest_close(k);
}

UNIT_MAIN("outside_batches", UNIT_TEST(a_disturbance_is_waited_for))
