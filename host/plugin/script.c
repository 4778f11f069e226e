#include "plugin/script.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha256.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { SCRIPT_MOST = 16 << 20 };

bool script_is(const char *path) {
  const size_t length = strlen(path), ending = sizeof SCRIPT_ENDING - 1;
  return length > ending && strcmp(path + length - ending, SCRIPT_ENDING) == 0;
}

static int read_script_bytes(int fd, char *to, size_t size, struct err *err) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = pread(fd, to + done, size - done, (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return err_set(err, EXIT_FAILED, "%s", strerror(errno));
    if (got == 0) return err_set(err, EXIT_FAILED, "the file became shorter while it was read: run again");
    done += (size_t)got;
  }
  return 0;
}

static int take_script_text(struct plugin *plugin, int fd, char sha256[65], struct err *err) {
  struct stat info;
  if (fstat(fd, &info) != 0) return err_set(err, EXIT_FAILED, "%s", strerror(errno));
  if (info.st_size > SCRIPT_MOST)
    return err_set(err, EXIT_FAILED, "a script of %lld bytes, at most %d", (long long)info.st_size, SCRIPT_MOST);
  plugin->script_bytes = (uint64_t)info.st_size;
  plugin->script = xcalloc((size_t)info.st_size + 1, 1);
  if (read_script_bytes(fd, plugin->script, (size_t)info.st_size, err) != 0) return -1;
  SHA256Data((const uint8_t *)plugin->script, (size_t)info.st_size, sha256);
  return 0;
}

int script_take(struct plugin *plugin, char sha256[65], struct err *err) {
  const int fd = open(plugin->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return err_set(err, EXIT_FAILED, "%s", strerror(errno));
  const int rc = take_script_text(plugin, fd, sha256, err);
  close(fd);
  return rc;
}

int script_library(char *path, size_t size, struct err *err) {
  static const char here = 0;
  char own[PATH_MAX];
  Dl_info info;
  const bool known = dladdr(&here, &info) != 0 && text_copy(own, sizeof own, info.dli_fname);
  char *slash = known ? strrchr(own, '/') : NULL;
  if (slash == NULL) return err_set(err, EXIT_FAILED, "what runs scripts is not found: this worker is of no library");
  *slash = '\0';
  const int length = snprintf(path, size, "%s/python.so", own);
  return length > 0 && (size_t)length < size ? 0 : err_set(err, EXIT_FAILED, "%s: path too long", own);
}

int script_name(const char *path, char id[ID_SIZE], struct err *err) {
  char stem[PATH_MAX];
  text_copy(stem, sizeof stem, text_file_name(path));
  if (script_is(stem)) stem[strlen(stem) - (sizeof SCRIPT_ENDING - 1)] = '\0';
  if (!text_is_id(stem)) {
    text_sanitize(stem);
    return err_set(err, EXIT_FAILED,
                   "the file's name is to be the plugin's id, and '%.200s' is not a valid name: "
                   "[A-Za-z0-9][A-Za-z0-9._/-]*, at most %d bytes",
                   stem, ID_SIZE - 1);
  }
  text_copy(id, ID_SIZE, stem);
  return 0;
}
