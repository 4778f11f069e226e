/* Tests device locks: one process at a time holds a lock, its death releases it, and no lock is kept where others
 * could tamper with it. */
#include "machine/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture.h"
#include "unit.h"

static char folder[64] = "/tmp/gpubench-lock-XXXXXX", said[512];
static struct lock lock;
static struct err error;
static int patience; /* how many times give_up() returns false */

static void say(const char *text) {
  text_copy(said, sizeof said, text);
}

static bool give_up(void) {
  return patience-- <= 0;
}

static int take(const char *device, enum lock_policy policy) {
  static const struct lock_waiting waiting = {say, give_up};
  error = (struct err){0};
  said[0] = '\0';
  return lock_take(device, policy, &waiting, &lock, &error);
}

static void makes_folder(void) {
  ASSERT_TRUE(mkdtemp(folder) != NULL);
  setenv("GPUBENCH_LOCK_DIR", folder, 1);
}

static void removes_folder(void) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ASSERT_EQ_INT(system(command), 0);
}

static const char *in_folder(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* Starts a process that holds the lock for `ms` milliseconds, or until it is killed. */
static pid_t hold(const char *device, int ms) {
  int ready[2];
  char byte = 0;
  if (pipe(ready) != 0) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    if (take(device, LOCK_REFUSE) != 0 || write(ready[1], "x", 1) != 1) _exit(1);
    usleep((useconds_t)ms * 1000);
    _exit(0);
  }
  close(ready[1]);
  ASSERT_EQ_INT(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  return pid;
}

static void policies(void) {
  enum lock_policy policy = LOCK_OFF;
  ASSERT_TRUE(lock_policy_parse("wait", &policy) && policy == LOCK_WAIT);
  ASSERT_TRUE(lock_policy_parse("refuse", &policy) && policy == LOCK_REFUSE);
  ASSERT_TRUE(lock_policy_parse("off", &policy) && policy == LOCK_OFF);
  ASSERT_TRUE(!lock_policy_parse("on", &policy) && !lock_policy_parse("", &policy));
}

static void a_free_device_is_taken_at_once(void) {
  struct stat info;
  char note[300];
  ASSERT_TRUE(lock_is_free("cpu"));
  ASSERT_EQ_INT(take("cpu", LOCK_REFUSE), 0);
  ASSERT_TRUE(lock.held);
  snprintf(note, sizeof note, "held: %s/gpubench-cpu.lock", folder);
  ASSERT_TRUE(strncmp(lock.note, note, strlen(note)) == 0);
  ASSERT_EQ_INT(stat(in_folder("gpubench-cpu.lock"), &info), 0);
  ASSERT_EQ_INT(info.st_mode & 07777, 0444); /* regardless of the umask, so that other users can lock it */
  ASSERT_EQ_INT(info.st_size, 0);
  ASSERT_TRUE(!lock_is_free("cpu")); /* locked against a second file description, even in this process */
  ASSERT_TRUE(lock_is_free("GPU-1"));
  lock_release(&lock);
  lock_release(&lock);
  ASSERT_TRUE(lock_is_free("cpu"));
}

static void a_device_in_use_is_refused(void) {
  char expected[128];
  pid_t holder = hold("GPU-8932f937-1/2", 60000);
  ASSERT_EQ_INT(take("GPU-8932f937-1/2", LOCK_REFUSE), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_DEVICE);
  if (access("/proc/locks", R_OK) == 0)
    snprintf(expected, sizeof expected, "GPU-8932f937-1/2 is in use by process %d (%.15s); --lock wait", (int)holder,
             program_invocation_short_name); /* the kernel keeps 15 characters of the name */
  else
    snprintf(expected, sizeof expected, "GPU-8932f937-1/2 is in use by another process; --lock wait");
  ASSERT_HAS(error.text, expected);
  ASSERT_TRUE(!lock.held);
  ASSERT_EQ_INT(take("GPU-other", LOCK_REFUSE), 0);
  lock_release(&lock);
  kill(holder, SIGKILL); /* its death releases the lock */
  ASSERT_EQ_INT(waitpid(holder, NULL, 0), holder);
  ASSERT_EQ_INT(take("GPU-8932f937-1/2", LOCK_REFUSE), 0);
  lock_release(&lock);
}

static void waiting_ends_with_the_holder(void) {
  pid_t holder = hold("cpu", 1400);
  patience = 1000;
  ASSERT_EQ_INT(take("cpu", LOCK_WAIT), 0);
  ASSERT_TRUE(lock.held);
  ASSERT_HAS(said, "cpu is in use by ");
  ASSERT_HAS(said, ": waiting (--lock refuse would not)");
  lock_release(&lock);
  ASSERT_EQ_INT(waitpid(holder, NULL, 0), holder);
  holder = hold("cpu", 300);
  ASSERT_EQ_INT(take("cpu", LOCK_WAIT), 0);
  ASSERT_EQ_STR(said, ""); /* too short a wait for a message */
  lock_release(&lock);
  ASSERT_EQ_INT(waitpid(holder, NULL, 0), holder);
}

static void waiting_can_be_given_up(void) {
  pid_t holder = hold("cpu", 60000);
  patience = 3;
  ASSERT_EQ_INT(take("cpu", LOCK_WAIT), -1);
  ASSERT_HAS(error.text, "interrupted while waiting");
  ASSERT_EQ_INT(take("cpu", LOCK_OFF), 0);
  ASSERT_TRUE(!lock.held);
  ASSERT_EQ_STR(lock.note, "off");
  kill(holder, SIGKILL);
  ASSERT_EQ_INT(waitpid(holder, NULL, 0), holder);
}

/* After the file of a held lock was deleted, one second process may take the lock on a new file; all later ones are
 * refused. */
static void a_deleted_file_is_made_anew(void) {
  ASSERT_EQ_INT(take("cpu", LOCK_REFUSE), 0);
  struct lock first = lock;
  ASSERT_EQ_INT(unlink(in_folder("gpubench-cpu.lock")), 0);
  ASSERT_EQ_INT(take("cpu", LOCK_REFUSE), 0);
  struct lock second = lock;
  ASSERT_EQ_INT(take("cpu", LOCK_REFUSE), -1);
  lock_release(&first);
  ASSERT_EQ_INT(take("cpu", LOCK_REFUSE), -1);
  lock_release(&second);
}

static void none(const char *why) {
  ASSERT_EQ_INT(take("cpu", LOCK_WAIT), 0);
  ASSERT_TRUE(!lock.held);
  ASSERT_TRUE(strncmp(lock.note, "none: ", 6) == 0);
  ASSERT_HAS(lock.note, why);
  ASSERT_TRUE(lock_is_free("cpu"));
}

static void what_is_no_file_of_ours_is_left_alone(void) {
  const char *path = in_folder("gpubench-cpu.lock");
  unlink(path);
  write_file(in_folder("victim"), "text");
  path = in_folder("gpubench-cpu.lock");
  char link[256];
  text_copy(link, sizeof link, path);
  ASSERT_EQ_INT(symlink("victim", link), 0);
  none("gpubench-cpu.lock: ");
  ASSERT_EQ_INT(unlink(link), 0);
  ASSERT_EQ_INT(mkfifo(link, 0666), 0);
  none("gpubench-cpu.lock: not a regular file");
  ASSERT_EQ_INT(unlink(link), 0);
}

static void unsafe_folders_are_not_used(void) {
  char open_folder[300];
  snprintf(open_folder, sizeof open_folder, "%s", in_folder("open"));
  ASSERT_EQ_INT(mkdir(open_folder, 0777), 0);
  ASSERT_EQ_INT(chmod(open_folder, 0777), 0);
  setenv("GPUBENCH_LOCK_DIR", open_folder, 1);
  none("others may write there, without a sticky bit");
  ASSERT_EQ_INT(chmod(open_folder, 01777), 0);
  ASSERT_EQ_INT(take("cpu", LOCK_WAIT), 0);
  ASSERT_TRUE(lock.held);
  lock_release(&lock);
  setenv("GPUBENCH_LOCK_DIR", "relative", 1);
  none("relative: not an absolute path");
  setenv("GPUBENCH_LOCK_DIR", "/nowhere/at/all", 1);
  none("/nowhere/at/all: No such file or directory");
  setenv("GPUBENCH_LOCK_DIR", "/proc/version", 1);
  none("/proc/version: not a directory");
  setenv("GPUBENCH_LOCK_DIR", folder, 1);
}

int main(void) {
  static const struct unit_test tests[] = {UNIT_TEST(makes_folder),
                                           UNIT_TEST(policies),
                                           UNIT_TEST(a_free_device_is_taken_at_once),
                                           UNIT_TEST(a_device_in_use_is_refused),
                                           UNIT_TEST(waiting_ends_with_the_holder),
                                           UNIT_TEST(waiting_can_be_given_up),
                                           UNIT_TEST(a_deleted_file_is_made_anew),
                                           UNIT_TEST(what_is_no_file_of_ours_is_left_alone),
                                           UNIT_TEST(unsafe_folders_are_not_used),
                                           UNIT_TEST(removes_folder)};
  umask(077);
  alarm(1000);
  return unit_run("lock", tests, sizeof tests / sizeof tests[0]);
}
