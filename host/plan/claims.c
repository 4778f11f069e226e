/* A claim is written beside its place and linked into it: link() is for one alone, and where there is a name there is
 * all of the text, whoever is killed meanwhile. "2 1": job 2 has begun what is the share of job 1. */
#include "plan/claims.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"

/* ---- A file ---- */

/* A draft that was left behind may be a claim by now, which its inode is: it is removed, not written. */
static int write_draft(const char *draft, const char *text) {
  const size_t size = strlen(text);
  if (unlink(draft) != 0 && errno != ENOENT) return -1;
  const int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return -1;
  errno = ENOSPC;
  const bool written = write(fd, text, size) == (ssize_t)size;
  const int why = errno;
  if (close(fd) != 0) return -1;
  errno = why;
  return written ? 0 : -1;
}

/* errno is EEXIST where it is there already. `by`: whose draft it is. */
static int put(const char *folder, const char *name, uint32_t by, const char *text) {
  SCOPED char *path = memory_print("%s/%s", folder, name), *draft = memory_print("%s/draft-%u", folder, by);
  const int rc = write_draft(draft, text) == 0 && link(draft, path) == 0 ? 0 : -1;
  const int why = errno;
  unlink(draft);
  errno = why;
  return rc;
}

/* False: there is no such claim, or it cannot be read, which errno says. */
static bool get(const char *folder, const char *name, uint32_t *by, uint32_t *of) {
  SCOPED char *path = memory_print("%s/%s", folder, name);
  errno = 0;
  SCOPED_FILE FILE *in = fopen(path, "re");
  const bool read = in != NULL && fscanf(in, "%9u %9u", by, of) == 2;
  const int why = in == NULL ? errno : EINVAL;
  errno = why;
  return read;
}

/* ---- The folder ---- */

static const char open_name[] = "open";

bool claims_open(const char *folder) {
  struct err ignored = {0};
  if (tree_make(folder, &ignored) != 0) return false;
  if (put(folder, open_name, 0, "") == 0 || errno == EEXIST) return true;
  tree_remove(folder, &ignored);
  return false;
}

static char *path_of_open(const char *folder) {
  return memory_print("%s/%s", folder, open_name);
}

void claims_close(const char *folder) {
  SCOPED char *path = path_of_open(folder);
  unlink(path);
}

bool claims_are_open(const char *folder) {
  SCOPED char *path = path_of_open(folder);
  return access(path, F_OK) == 0;
}

/* ---- Claims ---- */

int claims_take(const char *folder, size_t number, uint32_t by, uint32_t of, uint32_t *whose, struct err *err) {
  char name[32], text[32];
  snprintf(name, sizeof name, "%zu", number);
  snprintf(text, sizeof text, "%u %u\n", by, of);
  *whose = by;
  if (put(folder, name, by, text) == 0) return 0;
  const int why = errno;
  *whose = claims_whose(folder, number); /* also where link() has failed and made it */
  if (*whose != 0) return 0;
  return err_set(err, EXIT_FAILED, "%.500s/%s: %s", folder, name, strerror(why));
}

uint32_t claims_whose(const char *folder, size_t number) {
  char name[32];
  uint32_t by = 0, of = 0;
  snprintf(name, sizeof name, "%zu", number);
  if (get(folder, name, &by, &of)) return by;
  return errno == ENOENT ? 0 : UINT32_MAX;
}

size_t claims_taken_over(const char *folder) {
  SCOPED_DIR DIR *list = opendir(folder);
  size_t count = 0;
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    uint32_t by = 0, of = 0;
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && get(folder, entry->d_name, &by, &of)) count += by != of;
  }
  return count;
}
