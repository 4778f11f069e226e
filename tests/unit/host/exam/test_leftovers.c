/* Tests what is found of the things that callbacks leave in places that all processes share, and whose they are. */
#include "exam/leftovers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static char text[MSG_SIZE];
static struct leftovers *o;
static int parent;

/* Returns a path that no other process uses. It does not hold the number of this process. */
static const char *path_of(const char *folder, int number) {
  static char path[256];
  snprintf(path, sizeof path, "%s/unit-outside-%x-%d", folder, (unsigned)parent * 31, number);
  return path;
}

static int make(const char *path) {
  const int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_TRUE(fd >= 0);
  return fd;
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

static void begin(void) {
  parent = (int)getpid();
  o = leftovers_new(getpid());
  text[0] = '\0';
}

static enum leftovers_verdict judge(void) {
  const enum leftovers_verdict verdict = leftovers_judge(o, NULL, text, sizeof text);
  leftovers_free(o);
  return verdict;
}

/* The file is open when the callback ends, and it is made or rewritten in each case. */
static void what_the_process_has_open_is_its(void) {
  begin();
  const char *path = path_of("/dev/shm", 0);
  for (int i = 0; i < 3; i++) {
    leftovers_look(o, NULL);
    const int fd = make(path);
    ASSERT_EQ_INT(write(fd, "x", 1), 1);
    leftovers_look(o, "prepare");
    close(fd);
    usleep(5000);
    leftovers_note_case(o);
  }
  ASSERT_TRUE(!leftovers_are_doubtful(o));
  ASSERT_EQ_INT(judge(), LEFTOVERS_LEFT);
  ASSERT_HAS(text, "prepare left '/dev/shm/unit-outside-");
  ASSERT_TRUE(!exists(path));
}

static void what_is_removed_is_not_left(void) {
  begin();
  const char *path = path_of("/dev/shm", 1);
  const int fd = make(path);
  leftovers_look(o, "prepare");
  close(fd);
  unlink(path);
  leftovers_note_case(o);
  ASSERT_EQ_INT(judge(), LEFTOVERS_NOTHING);
}

/* Libraries keep such files until the process ends. */
static void what_is_made_once_may_be_a_librarys(void) {
  begin();
  const char *path = path_of("/dev/shm", 2);
  const int fd = make(path);
  leftovers_look(o, "prepare");
  for (int i = 0; i < 4; i++)
    leftovers_note_case(o);
  ASSERT_EQ_INT(judge(), LEFTOVERS_DOUBTFUL);
  ASSERT_HAS(text, "it may be a library's");
  close(fd);
  unlink(path);
}

/* Another process makes a file while a callback runs. */
static void what_another_process_makes_is_not_its(void) {
  int status;
  begin();
  const char *path = path_of("/tmp", 3);
  const pid_t pid = fork();
  if (pid == 0) {
    close(open(path, O_CREAT | O_WRONLY, 0600));
    _exit(0);
  }
  ASSERT_EQ_INT(waitpid(pid, &status, 0), pid);
  leftovers_look(o, "prepare");
  leftovers_note_case(o);
  ASSERT_TRUE(leftovers_are_doubtful(o));
  leftovers_note_pause(o);
  ASSERT_TRUE(leftovers_are_doubtful(o)); /* so far it looks like the process's */
  leftovers_note_case(o);
  ASSERT_TRUE(!leftovers_are_doubtful(o));
  ASSERT_EQ_INT(judge(), LEFTOVERS_NOTHING);
  ASSERT_TRUE(exists(path));
  unlink(path);
}

/* `busy`: another process makes files all the time. */
static enum leftovers_verdict leave_in_each_case(const char *folder, bool busy) {
  begin();
  for (int i = 0; i < 10; i++) {
    leftovers_look(o, NULL);
    close(make(path_of(folder, 100 + i)));
    leftovers_look(o, "run");
    leftovers_note_case(o);
    if (busy) close(make(path_of(folder, 200 + i)));
    leftovers_note_pause(o);
  }
  const enum leftovers_verdict verdict = judge();
  for (int i = 0; i < 10; i++) {
    ASSERT_TRUE(exists(path_of(folder, 100 + i)));
    unlink(path_of(folder, 100 + i));
    unlink(path_of(folder, 200 + i));
  }
  return verdict;
}

static void what_comes_with_each_case_is_its(void) {
  ASSERT_EQ_INT(leave_in_each_case("/var/tmp", false), LEFTOVERS_LEFT);
  ASSERT_HAS(text, "each of 10 cases left something there, and no pause between them did");
  ASSERT_EQ_INT(leave_in_each_case("/var/tmp", true), LEFTOVERS_NOTHING);
}

static int make_segment(void) {
  const int id = shmget(IPC_PRIVATE, 4096, 0600);
  ASSERT_TRUE(id >= 0);
  return id;
}

static void shared_memory_has_a_maker(void) {
  int pipes[2], id = -1, status;
  struct shmid_ds state;
  begin();
  const int own = make_segment();
  leftovers_look(o, "setup");
  leftovers_note_case(o);
  ASSERT_EQ_INT(judge(), LEFTOVERS_LEFT);
  ASSERT_HAS(text, "setup left the segment of shared memory ");
  ASSERT_EQ_INT(shmctl(own, IPC_STAT, &state), -1); /* it is removed */
  begin();
  ASSERT_EQ_INT(pipe(pipes), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    id = shmget(IPC_PRIVATE, 4096, 0600);
    _exit(write(pipes[1], &id, sizeof id) == sizeof id ? 0 : 1);
  }
  ASSERT_EQ_INT(waitpid(pid, &status, 0), pid);
  ASSERT_EQ_INT(read(pipes[0], &id, sizeof id), sizeof id);
  leftovers_look(o, "setup");
  leftovers_note_case(o);
  ASSERT_TRUE(judge() < LEFTOVERS_LEFT);
  ASSERT_EQ_INT(shmctl(id, IPC_STAT, &state), 0);
  shmctl(id, IPC_RMID, NULL);
  close(pipes[0]);
  close(pipes[1]);
}

/* The segment ends with the process, because it is marked for that. */
static void shared_memory_that_ends_by_itself(void) {
  begin();
  const int id = make_segment();
  const void *memory = shmat(id, NULL, 0);
  leftovers_look(o, "prepare");
  shmctl(id, IPC_RMID, NULL);
  leftovers_look(o, "run");
  leftovers_note_case(o);
  ASSERT_EQ_INT(judge(), LEFTOVERS_NOTHING);
  shmdt(memory);
}

UNIT_MAIN("leftovers", UNIT_TEST(what_the_process_has_open_is_its), UNIT_TEST(what_is_removed_is_not_left),
          UNIT_TEST(what_is_made_once_may_be_a_librarys), UNIT_TEST(what_another_process_makes_is_not_its),
          UNIT_TEST(what_comes_with_each_case_is_its), UNIT_TEST(shared_memory_has_a_maker),
          UNIT_TEST(shared_memory_that_ends_by_itself))
