/* Counts signals: the first one asks workers to finish, the second one ends them at once. */
#include "worker/signals.h"

#include <signal.h>
#include <stddef.h>

#include "base/clock.h"

enum { TWICE_MS = 200, GRACE_MS = 1000 };

static volatile sig_atomic_t signal_number, signal_count;
static volatile int64_t signal_ns;
static volatile sig_atomic_t signals_released;
/* when workers were asked to finish, by the first signal or for another reason */
static volatile int64_t asked_ns = INT64_MAX;
static int64_t limit_ns = INT64_MAX;
static const char *limit_why = "";

static void on_signal(int number) {
  int64_t now = clock_now_ns();
  bool same = signal_count > 0 && now - signal_ns < TWICE_MS * INT64_C(1000000);
  signal_number = number;
  signal_ns = now;
  if (now < asked_ns) asked_ns = now;
  if (same) return;
  if (signals_released) {
    signal(number, SIG_DFL);
    raise(number); /* the signal is delivered when this handler returns */
  }
  if (++signal_count == 2) signals_release();
}

static volatile sig_atomic_t continued;

static void on_continue(int number) {
  (void)number;
  continued = (continued + 1) & 0xFFFF;
}

void signals_catch(void) {
  const struct sigaction action = {.sa_handler = on_signal};
  const struct sigaction go_on = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
  struct sigaction former;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGCONT, &go_on, NULL);
  if (sigaction(SIGHUP, NULL, &former) == 0 && former.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

void signals_reset(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCONT};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    signal(numbers[i], SIG_DFL);
}

int signals_continued(void) {
  return continued;
}

int signals_last(void) {
  return signal_number;
}

bool signals_insisted(void) {
  return signal_count > 1;
}

void signals_release(void) {
  signals_released = signal_count > 0;
}

void signals_ask_to_finish(void) {
  int64_t now = clock_now_ns();
  if (now < asked_ns) asked_ns = now;
}

void signals_finish_by(int64_t ns, const char *why) {
  limit_ns = ns;
  limit_why = why;
}

static int64_t finish_ns(void) {
  return asked_ns < limit_ns ? asked_ns : limit_ns;
}

bool signals_asked_to_finish(void) {
  return finish_ns() <= clock_now_ns();
}

bool signals_out_of_time(void) {
  return signals_asked_to_finish() && signal_number == 0;
}

const char *signals_why(void) {
  return asked_ns > clock_now_ns() ? limit_why : "interrupted";
}

bool signals_waited(void) {
  return finish_ns() <= clock_now_ns() - GRACE_MS * INT64_C(1000000);
}
