/* Tests the user ids that isolated workers get: unused, exclusive, and sufficient to find all their processes. Only
 * root can assign them. */
#include "base/process_stat.h"
#include "machine/own_user.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

static char why[128];

static char state_of(pid_t pid) {
  char digits[16];
  struct process_stat stat = {.state = '?'};
  snprintf(digits, sizeof digits, "%d", (int)pid);
  process_stat_read(digits, &stat);
  return stat.state;
}

static bool comes_to(pid_t pid, char state) {
  const struct timespec pause = {.tv_nsec = 5000000};
  for (int tries = 0; tries < 1000 && state_of(pid) != state; tries++)
    nanosleep(&pause, NULL);
  return state_of(pid) == state;
}

static _Noreturn void stay(void) {
  for (;;)
    pause();
}

/* Starts a process of this user and a descendant in another session; *left is the id of the latter. */
static pid_t start(const struct own_user *user, pid_t *left) {
  int tube[2];
  struct err err = {0};
  if (pipe(tube) != 0) abort();
  const pid_t pid = fork();
  if (pid == 0) {
    if (own_user_enter(user, &err) != 0) _exit(9);
    const pid_t child = fork();
    if (child == 0 && fork() == 0) {
      setsid();
      const pid_t self = getpid();
      if (write(tube[1], &self, sizeof self) != sizeof self) _exit(8);
      stay();
    }
    if (child == 0) _exit(0);
    stay();
  }
  if (read(tube[0], left, sizeof *left) != sizeof *left) *left = -1;
  close(tube[0]);
  close(tube[1]);
  return pid;
}

static void two_have_different_ones(void) {
  struct own_user a, b;
  struct err err = {0};
  ASSERT_EQ_INT(own_user_take(&a, &err), 0);
  ASSERT_EQ_INT(own_user_take(&b, &err), 0);
  ASSERT_TRUE(a.uid != 0 && b.uid != 0 && a.uid != b.uid);
  own_user_release(&a);
  own_user_release(&b);
  ASSERT_TRUE(a.uid == 0 && b.uid == 0);
}

static void all_are_stopped_and_go_on(void) {
  struct own_user user;
  struct err err = {0};
  pid_t left = -1;
  const pid_t bystander = fork();
  if (bystander == 0) stay();
  ASSERT_EQ_INT(own_user_take(&user, &err), 0);
  const pid_t pid = start(&user, &left);
  ASSERT_TRUE(left > 0 && own_user_signal(&user, SIGSTOP));
  ASSERT_TRUE(comes_to(pid, 'T') && comes_to(left, 'T'));
  ASSERT_EQ_INT(state_of(bystander), 'S'); /* other users' processes run on */
  ASSERT_TRUE(own_user_signal(&user, SIGCONT));
  ASSERT_TRUE(comes_to(pid, 'S') && comes_to(left, 'S'));
  own_user_release(&user);
  int status = 0;
  ASSERT_TRUE(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ASSERT_TRUE(kill(bystander, SIGKILL) == 0 && waitpid(bystander, &status, 0) == bystander);
}

static void nobody_is_signalled_without_one(void) {
  struct own_user none = OWN_USER_NONE;
  ASSERT_TRUE(!own_user_signal(&none, 0));
}

/* The signaller, a process that signals all processes of the user, is itself one of them. A plugin can therefore kill
 * or stop it, which own_user_signal() must notice. */
static void a_signaller_that_is_held_up(void) {
  const int numbers[] = {SIGKILL, SIGSTOP};
  for (int i = 0; i < 2; i++) {
    struct own_user user;
    struct err err = {0};
    ASSERT_EQ_INT(own_user_take(&user, &err), 0);
    ASSERT_EQ_INT(kill(user.signaller, numbers[i]), 0);
    ASSERT_TRUE(!own_user_signal(&user, SIGSTOP) && user.line == -1);
    own_user_release(&user);
  }
}

static void it_cannot_become_root_again(void) {
  struct own_user user;
  struct err err = {0};
  int status = 0;
  ASSERT_EQ_INT(own_user_take(&user, &err), 0);
  const pid_t pid = fork();
  if (pid == 0) _exit(own_user_enter(&user, &err) == 0 && setuid(0) != 0 && access("/etc/shadow", R_OK) != 0 ? 0 : 1);
  ASSERT_TRUE(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  own_user_release(&user);
}

int main(void) {
  static const struct unit_test tests[] = {UNIT_TEST(two_have_different_ones), UNIT_TEST(all_are_stopped_and_go_on),
                                           UNIT_TEST(nobody_is_signalled_without_one),
                                           UNIT_TEST(a_signaller_that_is_held_up),
                                           UNIT_TEST(it_cannot_become_root_again)};
  if (!own_user_can(why, sizeof why)) return printf("%s: nothing to test\n", why), 77;
  return unit_run("own_user", tests, sizeof tests / sizeof tests[0]);
}
