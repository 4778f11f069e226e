/* Reads and writes claims: files by which jobs (processes that share a plan) tell each other which cases they have
 * begun. A claim is written to a draft file, which is then linked to the claim's name. link() succeeds for only one
 * job, and a claim is always complete, even if a job is killed. The text of a claim has two numbers: "2 1" means that
 * job 2 has begun a case that was assigned to job 1. */
#include "plan/claims.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"

/* ---- Reading and writing one file ---- */

/* Writes the draft. An old draft may be linked as a claim by now, so it is removed, not overwritten. */
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

/* Writes a claim file; fails with errno EEXIST if it exists. `by` is the job that writes it; each job has another draft
 * file. */
static int write_claim(const char *folder, const char *name, uint32_t by, const char *text) {
  SCOPED char *path = memory_print("%s/%s", folder, name), *draft = memory_print("%s/draft-%u", folder, by);
  const int rc = write_draft(draft, text) == 0 && link(draft, path) == 0 ? 0 : -1;
  const int why = errno;
  unlink(draft);
  errno = why;
  return rc;
}

/* Reads a claim file. Returns false if it does not exist or cannot be read; errno tells which. */
static bool read_claim(const char *folder, const char *name, uint32_t *by, uint32_t *of) {
  SCOPED char *path = memory_print("%s/%s", folder, name);
  errno = 0;
  SCOPED_FILE FILE *in = fopen(path, "re");
  const bool read = in != NULL && fscanf(in, "%9u %9u", by, of) == 2;
  const int why = in == NULL ? errno : EINVAL;
  errno = why;
  return read;
}

/* ---- Opening and closing the folder of claims ---- */

static const char open_name[] = "open";

bool claims_open(const char *folder) {
  struct err ignored = {0};
  if (tree_make(folder, &ignored) != 0) return false;
  if (write_claim(folder, open_name, 0, "") == 0 || errno == EEXIST) return true;
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

/* ---- Claiming cases ---- */

int claims_take(const char *folder, size_t number, uint32_t by, uint32_t of, uint32_t *whose, struct err *err) {
  char name[32], text[32];
  snprintf(name, sizeof name, "%zu", number);
  snprintf(text, sizeof text, "%u %u\n", by, of);
  *whose = by;
  if (write_claim(folder, name, by, text) == 0) return 0;
  const int why = errno;
  /* reads which job has the claim, because link() may report failure although it made the link */
  *whose = claims_whose(folder, number);
  if (*whose != 0) return 0;
  return err_set(err, EXIT_FAILED, "%.500s/%s: %s", folder, name, strerror(why));
}

uint32_t claims_whose(const char *folder, size_t number) {
  char name[32];
  uint32_t by = 0, of = 0;
  snprintf(name, sizeof name, "%zu", number);
  if (read_claim(folder, name, &by, &of)) return by;
  return errno == ENOENT ? 0 : UINT32_MAX;
}

size_t claims_taken_over(const char *folder) {
  SCOPED_DIR DIR *list = opendir(folder);
  size_t count = 0;
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    uint32_t by = 0, of = 0;
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && read_claim(folder, entry->d_name, &by, &of))
      count += by != of;
  }
  return count;
}
