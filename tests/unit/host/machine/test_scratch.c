/* Tests the removal of a scratch directory with everything that plugins left in it, and of nothing else. */
#include "machine/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static char base[64], bait[64];
static struct scratch scratch;
static int base_fd;

static void put(int dir, const char *name) {
  int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_TRUE(fd >= 0 && write(fd, "text", 4) == 4);
  close(fd);
}

static int make_folder(int dir, const char *name) {
  ASSERT_EQ_INT(mkdirat(dir, name, 0700), 0);
  return openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void begin(void) {
  strcpy(base, "/tmp/gpubench-scratchtest-XXXXXX");
  strcpy(bait, "/tmp/gpubench-scratchbait-XXXXXX");
  ASSERT_TRUE(mkdtemp(base) != NULL && mkdtemp(bait) != NULL);
  scratch_choose(base, &scratch);
  base_fd = scratch_open_base(&scratch);
  int fd = open(bait, O_RDONLY | O_DIRECTORY);
  put(fd, "file");
  close(fd);
}

static void end(void) {
  char file[128];
  struct stat info;
  snprintf(file, sizeof file, "%s/file", bait);
  ASSERT_TRUE(stat(file, &info) == 0 && info.st_size == 4);
  close(base_fd);
  ASSERT_EQ_INT(rmdir(base), 0); /* it is empty again */
  unlink(file);
  rmdir(bait);
}

static void nothing_is_no_error(void) {
  struct err err = {0};
  begin();
  ASSERT_EQ_INT(scratch_remove(base_fd, scratch.name, 0, &err), 0);
  end();
}

static void links_are_not_followed(void) {
  struct err err = {0};
  char path[4096], file[128];
  begin();
  ASSERT_EQ_INT(scratch_make_case(&scratch, path, sizeof path, &err), 0);
  int fd = open(path, O_RDONLY | O_DIRECTORY);
  snprintf(file, sizeof file, "%s/file", bait);
  ASSERT_EQ_INT(symlinkat(bait, fd, "folder"), 0);
  ASSERT_EQ_INT(symlinkat(file, fd, "link"), 0);
  ASSERT_EQ_INT(symlinkat("/", fd, "root"), 0);
  ASSERT_EQ_INT(symlinkat("self", fd, "self"), 0);
  ASSERT_EQ_INT(linkat(AT_FDCWD, file, fd, "hard", 0), 0);
  ASSERT_EQ_INT(mkfifoat(fd, "fifo", 0), 0);
  int closed = make_folder(fd, "closed");
  put(closed, "file");
  fchmod(closed, 0);
  close(closed);
  close(fd);
  ASSERT_EQ_INT(scratch_remove_case(&scratch, path, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  ASSERT_EQ_INT(scratch_remove(base_fd, scratch.name, 0, &err), 0);
  end();
}

static void a_link_in_its_place_is_left(void) {
  struct err err = {0};
  begin();
  ASSERT_EQ_INT(symlinkat(bait, base_fd, scratch.name), 0);
  ASSERT_EQ_INT(scratch_remove(base_fd, scratch.name, 0, &err), -1);
  ASSERT_HAS(err.text, "was not removed");
  unlinkat(base_fd, scratch.name, 0);
  end();
}

/* A directory with the expected name that belongs to another user is not removed. Only root can create such a
 * directory. */
static void what_is_not_ours_is_left(void) {
  struct err err = {0};
  struct stat info;
  if (geteuid() != 0) return;
  begin();
  close(make_folder(base_fd, scratch.name));
  ASSERT_EQ_INT(fchownat(base_fd, scratch.name, 65534, 65534, 0), 0);
  ASSERT_EQ_INT(scratch_remove(base_fd, scratch.name, 0, &err), -1);
  ASSERT_HAS(err.text, "it is another user's");
  ASSERT_TRUE(fstatat(base_fd, scratch.name, &info, 0) == 0);
  unlinkat(base_fd, scratch.name, AT_REMOVEDIR);
  end();
}

/* A tree deeper than the longest path is removed, with few file descriptors. */
static void depth_is_no_matter(void) {
  struct err err = {0};
  begin();
  int fd = make_folder(base_fd, scratch.name);
  for (int i = 0; i < 400; i++) {
    int next = make_folder(fd, i % 40 == 7 ? "moved-0" : "d"); /* a name that the removal itself uses */
    put(fd, "file");
    close(fd);
    fd = next;
  }
  close(fd);
  pid_t child = fork();
  if (child == 0) {
    const struct rlimit few = {80, 80};
    setrlimit(RLIMIT_NOFILE, &few);
    _exit(scratch_remove(base_fd, scratch.name, 0, &err) == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_TRUE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  end();
}

static void many_files_go(void) {
  struct err err = {0};
  char name[32];
  begin();
  int fd = make_folder(base_fd, scratch.name);
  for (int i = 0; i < 600; i++) {
    snprintf(name, sizeof name, "file-%d", i);
    put(fd, name);
  }
  close(fd);
  ASSERT_EQ_INT(scratch_remove(base_fd, scratch.name, 0, &err), 0);
  end();
}

static void bases_are_looked_at(void) {
  struct err err = {0};
  char file[128];
  begin();
  ASSERT_EQ_INT(scratch_check_base(base, &err), 0);
  chmod(base, 0777);
  ASSERT_EQ_INT(scratch_check_base(base, &err), -1);
  ASSERT_HAS(err.text, "anyone can rename files in");
  chmod(base, 01777);
  err = (struct err){0};
  ASSERT_EQ_INT(scratch_check_base(base, &err), 0);
  snprintf(file, sizeof file, "%s/file", bait);
  ASSERT_EQ_INT(scratch_check_base(file, &err), -1);
  ASSERT_HAS(err.text, "is not a directory");
  err = (struct err){0};
  ASSERT_EQ_INT(scratch_check_base("/nowhere/at/all", &err), -1);
  ASSERT_EQ_INT(err.exit_code, 2);
  end();
}

static void names_differ(void) {
  struct scratch other;
  scratch_choose("/tmp", &scratch);
  scratch_choose("/tmp", &other);
  ASSERT_TRUE(strcmp(scratch.name, other.name) != 0);
  setenv("TMPDIR", "relative", 1);
  scratch_choose(NULL, &other);
  ASSERT_EQ_STR(other.base, "/tmp");
  setenv("TMPDIR", "/somewhere", 1);
  scratch_choose(NULL, &other);
  ASSERT_EQ_STR(other.base, "/somewhere");
}

UNIT_MAIN("scratch", UNIT_TEST(nothing_is_no_error), UNIT_TEST(links_are_not_followed),
          UNIT_TEST(a_link_in_its_place_is_left), UNIT_TEST(what_is_not_ours_is_left), UNIT_TEST(depth_is_no_matter),
          UNIT_TEST(many_files_go), UNIT_TEST(bases_are_looked_at), UNIT_TEST(names_differ))
