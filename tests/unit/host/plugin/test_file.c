/* Tests which plugin files are trusted, by the owners and modes of the file and of the directories above it. */
#include "plugin/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "unit.h"

static char folder[] = "/tmp/gpubench-trust-XXXXXX", directory[64], file[96];
static struct loader_user me;

/* Makes FOLDER/d/p.so, owned by this user. The executable of gpubench is in another folder. */
static void begin(void) {
  text_copy(folder, sizeof folder, "/tmp/gpubench-trust-XXXXXX");
  ASSERT_TRUE(mkdtemp(folder) != NULL);
  snprintf(directory, sizeof directory, "%s/d", folder);
  snprintf(file, sizeof file, "%s/p.so", directory);
  ASSERT_EQ_INT(mkdir(directory, 0755), 0);
  int fd = open(file, O_WRONLY | O_CREAT, 0644);
  ASSERT_EQ_INT(write(fd, "abc", 3), 3);
  close(fd);
  me = (struct loader_user){.user = geteuid(), .owner = geteuid(), .directory = "/nowhere"};
}

static void end(void) {
  unlink(file);
  rmdir(directory);
  rmdir(folder);
}

static struct err err;
static char warning[1024];

static bool opens(enum loader_trust trust) {
  err = (struct err){0};
  int fd = loader_file_open(file, trust, &me, warning, sizeof warning, &err);
  if (fd >= 0) close(fd);
  ASSERT_EQ_INT(fd >= 0, err.exit_code == 0);
  return fd >= 0;
}

/* Checks that the file is refused if it was found by name, gives a warning if an ordinary user typed its path, and
 * nothing with --trust-plugins. */
static void is_suspect(const char *why) {
  uid_t user = me.user;
  ASSERT_TRUE(!opens(LOADER_FOUND));
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
  ASSERT_HAS(err.text, why);
  ASSERT_HAS(err.text, "--trust-plugins");
  ASSERT_EQ_STR(warning, "");
  if (user == 0) me.user = 4000000;
  ASSERT_TRUE(opens(LOADER_TYPED));
  ASSERT_HAS(warning, file);
  ASSERT_HAS(warning, "--trust-plugins");
  me.user = 0;
  ASSERT_TRUE(!opens(LOADER_TYPED));
  ASSERT_TRUE(opens(LOADER_ALL));
  ASSERT_EQ_STR(warning, "");
  me.user = user;
}

static void ones_own_is_trusted(void) {
  begin();
  ASSERT_TRUE(opens(LOADER_FOUND));
  ASSERT_EQ_STR(warning, "");
  ASSERT_EQ_INT(chmod(file, 0775), 0); /* a group is managed by root */
  ASSERT_EQ_INT(chmod(directory, 0775), 0);
  ASSERT_TRUE(opens(LOADER_FOUND));
  end();
}

static void others_may_write(void) {
  char why[192];
  begin();
  ASSERT_EQ_INT(chmod(file, 0646), 0);
  is_suspect("other users can write to it (mode 0646)");
  ASSERT_EQ_INT(chmod(file, 0644), 0);
  ASSERT_EQ_INT(chmod(directory, 0757), 0);
  snprintf(why, sizeof why, "other users can write to its directory %s (mode 0757, no sticky bit)", directory);
  is_suspect(why);
  ASSERT_EQ_INT(chmod(directory, 01757), 0); /* the sticky bit keeps others from renaming these files */
  ASSERT_TRUE(opens(LOADER_FOUND));
  ASSERT_EQ_INT(chmod(folder, 0777), 0); /* others could replace the directory itself */
  snprintf(why, sizeof why, "other users can write to its directory %s (mode 0777, no sticky bit)", folder);
  is_suspect(why);
  end();
}

/* Gives a file to another user. Only root can do that, so without root the test pretends to be another user. */
static void give_away(const char *path) {
  if (geteuid() == 0)
    ASSERT_EQ_INT(chown(path, 4000001, (gid_t)-1), 0);
  else
    me.user = me.owner = geteuid() + 1;
}

static void owned_by_a_third(void) {
  begin();
  give_away(file);
  is_suspect("it belongs to user ");
  me.owner = geteuid() == 0 ? 4000001 : geteuid(); /* the owner of gpubench's executable */
  ASSERT_TRUE(opens(LOADER_FOUND));
  end();
  if (geteuid() != 0) return;
  begin();
  give_away(directory); /* the owner of a directory can replace files in it */
  is_suspect("belongs to user 4000001, who is neither you (user 0) nor root");
  end();
}

/* Users who can change the directories of gpubench itself need no plugin to do harm. */
static void directories_above_the_binary_do_not_count(void) {
  begin();
  ASSERT_EQ_INT(chmod(folder, 0777), 0);
  ASSERT_TRUE(!opens(LOADER_FOUND));
  snprintf(me.directory, sizeof me.directory, "%s/bin", folder);
  ASSERT_TRUE(opens(LOADER_FOUND));
  text_copy(me.directory, sizeof me.directory, folder);
  ASSERT_TRUE(opens(LOADER_FOUND));
  snprintf(me.directory, sizeof me.directory, "%s-other/bin", folder);
  ASSERT_TRUE(!opens(LOADER_FOUND));
  me.directory[0] = '\0';
  ASSERT_TRUE(!opens(LOADER_FOUND));
  ASSERT_EQ_INT(chmod(folder, 0755), 0);
  ASSERT_EQ_INT(chmod(directory, 0777), 0); /* next to the binary's directory */
  snprintf(me.directory, sizeof me.directory, "%s/bin", folder);
  ASSERT_TRUE(!opens(LOADER_FOUND));
  end();
}

static void refuses(const char *path, const char *message) {
  err = (struct err){0};
  ASSERT_EQ_INT(loader_file_open(path, LOADER_ALL, &me, warning, sizeof warning, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
  ASSERT_HAS(err.text, message);
}

static void only_regular_files(void) {
  char path[128];
  begin();
  refuses(directory, "a directory, not a plugin");
  refuses("/dev/zero", "not a regular file");
  refuses("relative/p.so", "not an absolute path");
  refuses("/", "No such file");
  snprintf(path, sizeof path, "%s/pipe", folder);
  ASSERT_EQ_INT(mkfifo(path, 0600), 0); /* no process will ever write to it */
  refuses(path, "not a regular file");
  unlink(path);
  snprintf(path, sizeof path, "%s/link", folder);
  ASSERT_EQ_INT(symlink(file, path), 0);
  refuses(path, "symbolic link");
  unlink(path);
  ASSERT_EQ_INT(symlink(directory, path), 0); /* a directory replaced by a link after the path was resolved */
  strcat(path, "/p.so");
  refuses(path, "");
  path[strlen(path) - 5] = '\0';
  unlink(path);
  snprintf(path, sizeof path, "%s/q.so", directory);
  refuses(path, "No such file");
  end();
}

static void no_descriptor_is_left(void) {
  begin();
  int lowest = dup(0);
  for (int i = 0; i < 3; i++)
    opens(LOADER_FOUND);
  refuses(directory, "a directory");
  refuses("/nowhere/at/all", "No such file");
  ASSERT_EQ_INT(chmod(file, 0666), 0);
  ASSERT_TRUE(!opens(LOADER_FOUND));
  int next = dup(0);
  ASSERT_EQ_INT(next, lowest + 1);
  close(next);
  close(lowest);
  end();
}

static void hashes(void) {
  char hex[65];
  begin();
  err = (struct err){0};
  int fd = open(file, O_RDONLY);
  ASSERT_EQ_INT(loader_file_sha256(fd, hex, &err), 0);
  ASSERT_EQ_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  ASSERT_EQ_INT(loader_file_sha256(fd, hex, &err), 0); /* reads from the start again */
  ASSERT_EQ_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  close(fd);
  ASSERT_EQ_INT(loader_file_sha256(fd, hex, &err), -1);
  ASSERT_HAS(err.text, "descriptor");
  end();
}

static void knows_itself(void) {
  char exe[4096];
  loader_me(&me);
  ASSERT_EQ_INT(me.user, geteuid());
  ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
  exe[length > 0 ? length : 0] = '\0';
  ASSERT_TRUE(strncmp(exe, me.directory, strlen(me.directory)) == 0);
  ASSERT_EQ_STR(exe + strlen(me.directory), "/test_plugin_file");
}

UNIT_MAIN("loader_file", UNIT_TEST(ones_own_is_trusted), UNIT_TEST(others_may_write), UNIT_TEST(owned_by_a_third),
          UNIT_TEST(directories_above_the_binary_do_not_count), UNIT_TEST(only_regular_files),
          UNIT_TEST(no_descriptor_is_left), UNIT_TEST(hashes), UNIT_TEST(knows_itself))
