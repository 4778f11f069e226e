#include "check/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/scratch.h"
#include "worker/process.h"

static int make_place_folder(const struct place *place, const char *name, char *to, size_t size, struct err *err) {
  snprintf(to, size, "%s/%s", place->base, name);
  return mkdir(to, 0700) == 0 ? 0 : err_set(err, EXIT_FAILED, "%s: %s", to, strerror(errno));
}

/* Disables malloc's thread cache. resident_heap() counts freed memory in that cache as used, so the count grows from
 * case to case for a while, for example if each case opens and closes a library. Without the cache, any growth is a
 * leak. */
static void count_exactly(void) {
  const char *tunables = getenv("GLIBC_TUNABLES");
  const bool some = tunables != NULL && tunables[0] != '\0';
  SCOPED char *more = memory_print("%s%sglibc.malloc.tcache_count=0", some ? tunables : "", some ? ":" : "");
  setenv("GLIBC_TUNABLES", more, 1);
}

int place_make(struct place *place, struct err *err) {
  const char *tmp = getenv("TMPDIR");
  SCOPED char *real = realpath(tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp", NULL);
  snprintf(place->base, sizeof place->base, "%.4000s/gpubench-check-XXXXXX", real != NULL ? real : "/tmp");
  if (mkdtemp(place->base) == NULL) return err_set(err, EXIT_FAILED, "%s: %s", place->base, strerror(errno));
  if (make_place_folder(place, "work", place->work, sizeof place->work, err) != 0 ||
      make_place_folder(place, "tmp", place->temporary, sizeof place->temporary, err) != 0 ||
      make_place_folder(place, "scratch", place->scratch, sizeof place->scratch, err) != 0)
    return -1;
  setenv("TMPDIR", place->temporary, 1);
  count_exactly();
  process_scratch(place->scratch);
  process_folder(place->work);
  return 0;
}

/* Removes a file that a plugin left behind. If that fails the file stays; the finding has been reported already. */
static void remove_leftover(const char *folder, const char *name) {
  struct err ignored = {0};
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  if (unlinkat(fd, name, 0) != 0) scratch_remove(fd, name, 0, &ignored);
  close(fd);
}

static bool find_leftover(const char *folder, const char *what, char *to, size_t size) {
  SCOPED_DIR DIR *stream = opendir(folder);
  bool found = false;
  for (struct dirent *entry; stream != NULL && !found && (entry = readdir(stream)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(to, size, "'%s' in %s", entry->d_name, what);
    text_sanitize(to);
    remove_leftover(folder, entry->d_name);
    found = true;
  }
  return found;
}

bool place_left(const struct place *place, char *to, size_t size) {
  return find_leftover(place->work, "its working directory", to, size) ||
         find_leftover(place->temporary, "$TMPDIR", to, size);
}

void place_remove(const struct place *place) {
  const char *slash = strrchr(place->base, '/');
  char folder[sizeof place->base];
  struct err ignored = {0};
  if (slash == NULL || place->work[0] == '\0') return;
  text_copy(folder, (size_t)(slash - place->base) + 1, place->base);
  const int fd = open(folder[0] != '\0' ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  scratch_remove(fd, slash + 1, 0, &ignored);
  close(fd);
}
