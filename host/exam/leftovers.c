#include "exam/leftovers.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"

enum { FOLDERS = 4, PLACES = 7, OBJECTS_MOST = 64, JUDGED_PAIRS = 8, CERTAIN_CASES = 3, SEMAPHORES_MOST = 64 };

/* The places, folders first. quiet: few programs use the place, so that an object is worth a line even if it is not
 * certain whose it is. */
static const struct {
  const char *path, *kind;
  bool quiet;
} places[PLACES] = {{"/tmp", NULL, false},
                    {"/dev/shm", NULL, true},
                    {"/var/tmp", NULL, true},
                    {"/dev/mqueue", NULL, true},
                    {"/proc/sysvipc/shm", "the segment of shared memory", true},
                    {"/proc/sysvipc/sem", "the set of semaphores", true},
                    {"/proc/sysvipc/msg", "the message queue", true}};

/* Something that appeared during a callback and belongs to this user. */
struct object {
  int place;
  char name[256], callback[32]; /* name: of the file, or the number of an object of System V */
  ino_t inode;
  struct timespec changed;
  bool certain; /* the process has made it */
};

/* What happened in one place. Each count is of cases or pauses. */
struct place_watch {
  uint64_t *known; /* hashes of the names that were there at the last look, sorted */
  size_t count;
  struct timespec changed; /* time of the folder's last change; 0: look in any case */
  uint32_t by_others;      /* how many objects appeared while no callback ran */
  /* fresh: something appeared or was rewritten since the last case or pause ended; certainly: something that certainly
   * is the process's; last: `fresh` of the last case */
  bool fresh, certainly, last;
  bool missed;                           /* a case, after the first pause, without `fresh` */
  uint32_t certain_cases, pairs, pauses; /* cases with `certainly`; pairs, and pauses, with `fresh` */
};

struct leftovers {
  pid_t pid;
  struct place_watch at[PLACES];
  bool has_cases; /* false: the process has only opened and closed a plugin */
  uint32_t pairs; /* cases with a pause after each */
  struct object objects[OBJECTS_MOST];
  size_t object_count;
};

/* ---- Whose an object is ---- */

static bool names_process(const char *name, pid_t pid) {
  char digits[24];
  const size_t length = (size_t)snprintf(digits, sizeof digits, "%d", (int)pid);
  if (length < 3) return false; /* such a number stands in many names */
  for (const char *at = strstr(name, digits); at != NULL; at = strstr(at + 1, digits))
    if ((at == name || !isdigit((unsigned char)at[-1])) && !isdigit((unsigned char)at[length])) return true;
  return false;
}

static bool has_open(pid_t pid, const struct stat *file) {
  char path[64];
  struct stat found;
  snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
  SCOPED_DIR DIR *stream = opendir(path);
  for (struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;)
    if (isdigit((unsigned char)entry->d_name[0]) && fstatat(dirfd(stream), entry->d_name, &found, 0) == 0 &&
        found.st_dev == file->st_dev && found.st_ino == file->st_ino)
      return true;
  return false;
}

static bool has_mapped(pid_t pid, const struct stat *file) {
  char path[64], line[4400];
  unsigned major, minor;
  unsigned long long inode;
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  SCOPED_FILE FILE *maps = fopen(path, "re");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (sscanf(line, "%*s %*s %*s %x:%x %llu", &major, &minor, &inode) == 3 && inode == file->st_ino &&
        makedev(major, minor) == file->st_dev)
      return true;
  return false;
}

static bool is_operated_by(int set, unsigned count, pid_t pid) {
  for (unsigned i = 0; i < count && i < SEMAPHORES_MOST; i++)
    if (semctl(set, (int)i, GETPID) == pid) return true;
  return false;
}

static bool object_exists(const struct object *object) {
  char path[512];
  struct stat file;
  union {
    struct shmid_ds shm;
    struct msqid_ds msg;
    struct semid_ds sem;
  } state;
  const int id = atoi(object->name);
  switch (object->place - FOLDERS) {
    case 0:
      return shmctl(id, IPC_STAT, &state.shm) == 0 && (state.shm.shm_perm.mode & SHM_DEST) == 0;
    case 1:
      return semctl(id, 0, IPC_STAT, &state.sem) >= 0;
    case 2:
      return msgctl(id, IPC_STAT, &state.msg) == 0;
    default:
      snprintf(path, sizeof path, "%s/%s", places[object->place].path, object->name);
      return lstat(path, &file) == 0 && file.st_ino == object->inode;
  }
}

/* Drops objects that are gone, so that there is room for others. */
static void forget_removed(struct leftovers *o) {
  size_t kept = 0;
  for (size_t i = 0; i < o->object_count; i++)
    if (object_exists(&o->objects[i])) o->objects[kept++] = o->objects[i];
  o->object_count = kept;
}

/* ---- Listing a place ---- */

struct listing {
  struct leftovers *o;
  int place;
  const char *callback;
  uint64_t *found;
  size_t count;
};

static int by_hash(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static bool was_there(const struct place_watch *at, uint64_t hash) {
  return at->count > 0 && bsearch(&hash, at->known, at->count, sizeof hash, by_hash) != NULL;
}

/* Notes an object that is new. If no callback ran since the last look, only counts it, because another process made
 * it. */
static void note_object(struct listing *l, const struct object *object) {
  struct leftovers *o = l->o;
  if (l->callback == NULL) {
    o->at[l->place].by_others++;
    return;
  }
  o->at[l->place].fresh = true;
  if (object->certain) o->at[l->place].certainly = true;
  if (o->object_count == OBJECTS_MOST) forget_removed(o);
  if (o->object_count == OBJECTS_MOST) return;
  struct object *noted = &o->objects[o->object_count++];
  *noted = *object;
  noted->place = l->place;
  text_copy(noted->callback, sizeof noted->callback, l->callback);
}

static bool is_new(struct listing *l, const char *name) {
  const uint64_t hash = rng_text(name);
  l->found = xgrow(l->found, l->count, sizeof *l->found);
  l->found[l->count++] = hash;
  return !was_there(&l->o->at[l->place], hash);
}

/* Returns true for files of gpubench, and for those that a library makes once for each process and removes in a
 * destructor, which workers do not run: libomp and the CUDA driver. */
static bool is_excused(const char *name) {
  static const char *const prefixes[] = {"gpubench-", "__KMP_REGISTERED_LIB_", "cuda.shm."};
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

/* Looks at a file that is new. Files of other users are not the process's. */
static void look_at_file(struct listing *l, int folder, const char *name) {
  struct object object = {.certain = false};
  struct stat file;
  if (is_excused(name) || fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (file.st_uid != geteuid()) return;
  const pid_t pid = l->o->pid;
  text_copy(object.name, sizeof object.name, name);
  object.inode = file.st_ino;
  object.changed = file.st_ctim;
  object.certain = pid > 0 && (names_process(name, pid) || has_open(pid, &file) || has_mapped(pid, &file));
  note_object(l, &object);
}

/* Returns false if the folder has not changed since the last look. A change in the same tick of the kernel's clock
 * would leave its time as it is, so one that is recent does not count as the last one. */
static bool folder_changed(struct leftovers *o, int place, int folder) {
  enum { SETTLED_MS = 20 };
  struct stat now;
  struct timespec clock;
  if (fstat(folder, &now) != 0 || clock_gettime(CLOCK_REALTIME, &clock) != 0) return true;
  struct timespec *last = &o->at[place].changed;
  if (now.st_mtim.tv_sec == last->tv_sec && now.st_mtim.tv_nsec == last->tv_nsec) return false;
  const int64_t age_ms = (clock.tv_sec - now.st_mtim.tv_sec) * 1000 + (clock.tv_nsec - now.st_mtim.tv_nsec) / 1000000;
  *last = age_ms > SETTLED_MS ? now.st_mtim : (struct timespec){0};
  return true;
}

/* Returns false if there is nothing to list. */
static bool list_folder(struct listing *l) {
  SCOPED_DIR DIR *stream = opendir(places[l->place].path);
  if (stream == NULL || !folder_changed(l->o, l->place, dirfd(stream))) return false;
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
    if (is_new(l, entry->d_name)) look_at_file(l, dirfd(stream), entry->d_name);
  return true;
}

/* Reads a line of /proc/sysvipc/shm, sem or msg (proc(5), ipcs(1)). Returns false if the object is another user's. */
static bool read_ipc(int place, const char *line, pid_t pid, struct object *object) {
  unsigned long long size, uid = 0, cuid = 0;
  long key, first = 0, second = 0;
  unsigned mode = 0;
  int id = -1, got;
  switch (place - FOLDERS) {
    case 0: /* key shmid perms size cpid lpid nattch uid gid cuid */
      got = sscanf(line, "%ld %d %o %llu %ld %*d %*u %llu %*u %llu", &key, &id, &mode, &size, &first, &uid, &cuid);
      if ((mode & SHM_DEST) != 0) return false; /* it ends with its last user */
      object->certain = first == pid;
      break;
    case 1: /* key semid perms nsems uid gid cuid */
      got = 2 + sscanf(line, "%ld %d %*o %llu %llu %*u %llu", &key, &id, &size, &uid, &cuid);
      object->certain = got == 7 && cuid == geteuid() && is_operated_by(id, (unsigned)size, pid);
      break;
    default: /* key msqid perms cbytes qnum lspid lrpid uid gid cuid */
      got = 1 + sscanf(line, "%ld %d %*o %*u %*u %ld %ld %llu %*u %llu", &key, &id, &first, &second, &uid, &cuid);
      object->certain = first == pid || second == pid;
  }
  snprintf(object->name, sizeof object->name, "%d", got == 7 ? id : -1);
  return got == 7 && cuid == geteuid();
}

static bool list_ipc(struct listing *l) {
  char line[512];
  SCOPED_FILE FILE *file = fopen(places[l->place].path, "re");
  if (file == NULL || fgets(line, sizeof line, file) == NULL) return false; /* the first line has names of columns */
  while (fgets(line, sizeof line, file) != NULL) {
    struct object object = {.certain = false};
    const bool own = read_ipc(l->place, line, l->o->pid, &object);
    if (is_new(l, object.name) && own) note_object(l, &object);
  }
  return true;
}

/* Notes which files were rewritten since the last look. */
static void look_at_rewritten(struct leftovers *o) {
  char path[512];
  struct stat file;
  for (size_t i = 0; i < o->object_count; i++) {
    struct object *object = &o->objects[i];
    if (object->place >= FOLDERS) continue;
    snprintf(path, sizeof path, "%s/%s", places[object->place].path, object->name);
    if (lstat(path, &file) != 0 || file.st_uid != geteuid()) continue;
    if (file.st_ctim.tv_sec == object->changed.tv_sec && file.st_ctim.tv_nsec == object->changed.tv_nsec) continue;
    object->changed = file.st_ctim;
    object->inode = file.st_ino; /* a file may be rewritten by another one that takes its name */
    o->at[object->place].fresh = true;
    if (object->certain) o->at[object->place].certainly = true;
  }
}

void leftovers_look(struct leftovers *o, const char *callback) {
  for (int place = 0; place < PLACES; place++) {
    struct listing l = {.o = o, .place = place, .callback = callback};
    if (!(place < FOLDERS ? list_folder(&l) : list_ipc(&l))) continue;
    if (l.count > 0) qsort(l.found, l.count, sizeof *l.found, by_hash);
    free(o->at[place].known);
    o->at[place].known = l.found;
    o->at[place].count = l.count;
  }
}

struct leftovers *leftovers_new(pid_t pid) {
  struct leftovers *o = xcalloc(1, sizeof *o);
  leftovers_look(o, NULL);
  for (int place = 0; place < PLACES; place++)
    o->at[place].by_others = 0;
  o->pid = pid;
  return o;
}

void leftovers_free(struct leftovers *o) {
  for (int place = 0; o != NULL && place < PLACES; place++)
    free(o->at[place].known);
  free(o);
}

void leftovers_set_process(struct leftovers *o, pid_t pid) {
  o->pid = pid;
}

/* ---- Judging ---- */

/* Returns true if each case so far that had a pause after it left something new in the place, and no pause did. */
static bool keeps_step(const struct leftovers *o, int place) {
  const struct place_watch *at = &o->at[place];
  return at->pairs == o->pairs && at->pauses == 0 && !at->missed;
}

bool leftovers_are_doubtful(const struct leftovers *o) {
  bool doubtful = false;
  for (size_t i = 0; i < o->object_count; i++) {
    const int place = o->objects[i].place;
    doubtful = doubtful || (!o->objects[i].certain && o->at[place].last && keeps_step(o, place));
  }
  return doubtful;
}

void leftovers_note_case(struct leftovers *o) {
  o->has_cases = true;
  look_at_rewritten(o);
  for (int place = 0; place < PLACES; place++) {
    struct place_watch *at = &o->at[place];
    at->certain_cases += at->certainly;
    if (o->pairs > 0 && !at->fresh) at->missed = true;
    at->last = at->fresh;
    at->fresh = at->certainly = false;
  }
}

void leftovers_note_pause(struct leftovers *o) {
  uint32_t before[PLACES];
  for (int place = 0; place < PLACES; place++)
    before[place] = o->at[place].by_others;
  leftovers_look(o, NULL);
  look_at_rewritten(o);
  o->pairs++;
  for (int place = 0; place < PLACES; place++) {
    struct place_watch *at = &o->at[place];
    at->pairs += at->last;
    at->pauses += at->fresh || at->by_others > before[place];
    at->fresh = at->certainly = false;
  }
}

static bool is_in_step(const struct leftovers *o, int place) {
  return o->pairs >= JUDGED_PAIRS && keeps_step(o, place);
}

/* Removes an object; a folder remains unless it is empty. */
static void remove_object(const struct object *object, struct strings *removed) {
  char path[512];
  const int id = atoi(object->name);
  if (object->place == FOLDERS) shmctl(id, IPC_RMID, NULL);
  if (object->place == FOLDERS + 1) semctl(id, 0, IPC_RMID);
  if (object->place == FOLDERS + 2) msgctl(id, IPC_RMID, NULL);
  if (object->place >= FOLDERS) return;
  snprintf(path, sizeof path, "%s/%s", places[object->place].path, object->name);
  if (removed != NULL) strings_add(removed, path);
  remove(path);
}

static void name_object(const struct object *object, char *to, size_t size) {
  if (object->place < FOLDERS)
    snprintf(to, size, "'%s/%s'", places[object->place].path, object->name);
  else
    snprintf(to, size, "%s %s", places[object->place].kind, object->name);
  text_sanitize(to);
}

static enum leftovers_verdict judge_object(const struct leftovers *o, const struct object *object, char *text,
                                           size_t size) {
  char name[512];
  name_object(object, name, sizeof name);
  /* what is made once, in the first case, may be a library's, but none makes objects of System V like that */
  const bool often = object->place >= FOLDERS || o->at[object->place].certain_cases >= CERTAIN_CASES || !o->has_cases;
  if (object->certain && often) {
    snprintf(text, size, "%s left %s behind", object->callback, name);
    return LEFTOVERS_LEFT;
  }
  if (is_in_step(o, object->place)) {
    snprintf(text, size, "%s left %s behind: each of %u cases left something there, and no pause between them did",
             object->callback, name, o->pairs);
    return LEFTOVERS_LEFT;
  }
  if (object->certain) {
    snprintf(text, size, "%s made %s, once, and it is still there: it may be a library's", object->callback, name);
    return LEFTOVERS_DOUBTFUL;
  }
  if (!places[object->place].quiet || o->at[object->place].by_others > 0) return LEFTOVERS_NOTHING;
  snprintf(text, size, "%s appeared during %s and is still there: it may be another process's", name, object->callback);
  return LEFTOVERS_DOUBTFUL;
}

enum leftovers_verdict leftovers_judge(struct leftovers *o, struct strings *removed, char *text, size_t size) {
  enum leftovers_verdict worst = LEFTOVERS_NOTHING;
  for (size_t i = 0; i < o->object_count; i++) {
    const struct object *object = &o->objects[i];
    char own[MSG_SIZE];
    if (!object_exists(object)) continue;
    const enum leftovers_verdict verdict = judge_object(o, object, own, sizeof own);
    if (object->certain) remove_object(object, removed);
    if (verdict <= worst) continue;
    worst = verdict;
    text_copy(text, size, own);
  }
  return worst;
}
