#include "plugin/brought.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "plugin/elf.h"
#include "plugin/file.h"
#include "plugin/script.h"

enum { NAME_MOST = 255, FOLDERS_MOST = 16, BYTES_MOST = 1 << 28, CLOCK_STEP_MOST_S = 2 };

/* A copy of a file's bytes. The file is not mapped, because it may become shorter while it is read. */
struct content {
  int fd;
  char *bytes;
  size_t size;
};

static bool read_file(const char *path, struct content *content) {
  struct stat info;
  *content = (struct content){.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (content->fd < 0) return false;
  if (fstat(content->fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= BYTES_MOST)
    content->bytes = malloc((size_t)info.st_size + 1);
  for (ssize_t got = 1; content->bytes != NULL && got > 0; content->size += got > 0 ? (size_t)got : 0)
    got =
        pread(content->fd, content->bytes + content->size, (size_t)info.st_size - content->size, (off_t)content->size);
  if (content->bytes == NULL) close(content->fd);
  return content->bytes != NULL;
}

static void drop_content(struct content *content) {
  free(content->bytes);
  close(content->fd);
}

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '+' || c == '-';
}

void mentions_relative(const char *folder, const char *path, char *to, size_t size) {
  size_t common = 0;
  for (size_t i = 0; folder[i] == path[i] && folder[i] != '\0'; i++)
    if (folder[i] == '/') common = i + 1;
  const size_t whole = strlen(folder);
  to[0] = '\0';
  if (strncmp(folder, path, whole) == 0 && path[whole] == '/') {
    text_copy(to, size, path + whole + 1);
    return;
  }
  size_t used = 0;
  for (const char *at = folder + common; *at != '\0' && used + 3 < size; at += strcspn(at, "/"), at += *at == '/')
    used += (size_t)snprintf(to + used, size - used, "../");
  snprintf(to + used, size - used, "%s", path + common);
}

/* ---- Files that shared objects mention ---- */

struct listing {
  struct mentions_folder folder;
  struct strings names; /* names of the folder's files, sorted */
};

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_names(struct listing *listing) {
  SCOPED_DIR DIR *list = opendir(listing->folder.path);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
    if (entry->d_name[0] != '.' && strchr(entry->d_name, '.') != NULL) strings_add(&listing->names, entry->d_name);
  if (listing->names.count > 0) qsort(listing->names.items, listing->names.count, sizeof(char *), by_text);
}

/* Lists the folders in which a shared object finds files: its own folder, then those of its RUNPATH. */
static size_t find_folders(const char *path, int fd, struct listing *listings) {
  SCOPED_STRINGS struct strings needed = {0};
  char runpath[1024];
  size_t count = 1;
  loader_elf_needs(fd, &needed, runpath, sizeof runpath);
  loader_elf_origin("$ORIGIN", path, listings[0].folder.path, sizeof listings[0].folder.path);
  listings[0].folder.relative = true;
  for (char *rest = runpath, *one; (one = strsep(&rest, ":")) != NULL && count < FOLDERS_MOST;) {
    struct mentions_folder *folder = &listings[count].folder;
    char expanded[1024];
    loader_elf_origin(one, path, expanded, sizeof expanded);
    char *real = expanded[0] == '/' ? realpath(expanded, NULL) : NULL;
    if (real == NULL || !text_copy(folder->path, sizeof folder->path, real)) {
      free(real);
      continue;
    }
    free(real);
    folder->searched = true;
    folder->relative = strstr(one, "ORIGIN") != NULL;
    count++;
  }
  return count;
}

static size_t list_folders(const char *path, int fd, struct listing *listings) {
  const size_t count = find_folders(path, fd, listings);
  for (size_t i = 0; i < count; i++)
    list_names(&listings[i]);
  return count;
}

/* Adds the file's device, inode, size and times to the hash. Returns true if the last change of the file is more than
 * two seconds ago. Two changes in a shorter time may get the same times, because some file systems have coarse clocks.
 */
static bool add_state(SHA2_CTX *context, const struct stat *info) {
  const struct timespec mtime = info->st_mtim, ctime = info->st_ctim;
  const int64_t state[] = {(int64_t)info->st_dev, (int64_t)info->st_ino, (int64_t)info->st_size, mtime.tv_sec,
                           mtime.tv_nsec,         ctime.tv_sec,          ctime.tv_nsec};
  SHA256Update(context, (const uint8_t *)state, sizeof state);
  return time(NULL) - ctime.tv_sec > CLOCK_STEP_MOST_S;
}

void mentions_stamp(const char *path, char stamp[65]) {
  SCOPED struct listing *listings = xcalloc(FOLDERS_MOST, sizeof *listings);
  struct stat info;
  SHA2_CTX context;
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const size_t count = fd >= 0 ? find_folders(path, fd, listings) : 0;
  SHA256Init(&context);
  bool settled = count > 0 && fstat(fd, &info) == 0 && add_state(&context, &info);
  for (size_t i = 0; i < count && settled; i++)
    settled = stat(listings[i].folder.path, &info) == 0 && add_state(&context, &info);
  stamp[0] = '\0';
  if (settled) SHA256End(&context, stamp);
  if (fd >= 0) close(fd);
}

static bool folder_has(const struct listing *listing, const char *name) {
  return listing->names.count > 0 &&
         bsearch(&name, listing->names.items, listing->names.count, sizeof(char *), by_text) != NULL;
}

struct hearing {
  const struct listing *listings;
  size_t count;
  void (*take)(void *user, const struct mentions_folder *folder, const char *name, bool bare);
  void *user;
};

/* Calls `take` once for each folder that has a file of this name. `bare`: the shared object names the file without a
 * folder. The dynamic loader then loads the first such file on its search path, so later folders are left out. */
static void report_needed(const struct hearing *h, const char *name, bool bare) {
  for (size_t i = 0, searched = 0; i < h->count && searched == 0; i++) {
    if (!folder_has(&h->listings[i], name)) continue;
    h->take(h->user, &h->listings[i].folder, name, bare);
    searched += h->listings[i].folder.searched && bare;
  }
}

void mentions_of_library(const char *path,
                         void (*take)(void *user, const struct mentions_folder *folder, const char *name, bool bare),
                         void *user) {
  struct content file;
  if (!read_file(path, &file)) return;
  SCOPED struct listing *listings = xcalloc(FOLDERS_MOST, sizeof *listings);
  const bool object = file.size > 4 && memcmp(file.bytes, "\177ELF", 4) == 0;
  const struct hearing h = {listings, object ? list_folders(path, file.fd, listings) : 0, take, user};
  const char *end = file.bytes + file.size;
  for (const char *at = file.bytes; h.count > 0 && (at = memchr(at, '\0', (size_t)(end - at))) != NULL; at++) {
    const char *begin = at;
    char name[NAME_MOST + 1];
    while (begin > file.bytes && at - begin < NAME_MOST && in_name(begin[-1]))
      begin--;
    const size_t length = (size_t)(at - begin);
    if (length < 3 || begin == file.bytes || memchr(begin, '.', length) == NULL) continue;
    memcpy(name, begin, length);
    name[length] = '\0';
    if (begin[-1] == '\0' || begin[-1] == '/') report_needed(&h, name, begin[-1] == '\0');
  }
  for (size_t i = 0; i < h.count; i++)
    strings_free(&listings[i].names);
  drop_content(&file);
}

/* ---- Files that scripts mention ---- */

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static void hear_words(const char *line, size_t length, void (*module)(void *user, const char *name), void *user) {
  for (size_t at = 0, end; at < length; at = end + 1) {
    char word[NAME_MOST + 1];
    for (end = at; end < length && in_word(line[end]); end++)
      ;
    if (end == at || end - at > NAME_MOST) continue;
    memcpy(word, line + at, end - at);
    word[end - at] = '\0';
    module(user, word);
  }
}

/* Calls `file` for each text in the line between two quotes of the same kind that looks like a file name. */
static void hear_quoted(const char *line, size_t length, void (*file)(void *user, const char *name), void *user) {
  for (size_t at = 0, end; at < length; at = end) {
    char name[NAME_MOST + 1];
    end = at + 1;
    if (line[at] != '"' && line[at] != '\'') continue;
    while (end < length && (in_name(line[end]) || line[end] == '/'))
      end++;
    const size_t size = end - at - 1;
    if (end == length || line[end] != line[at] || size < 3 || size > NAME_MOST) continue;
    memcpy(name, line + at + 1, size);
    name[size] = '\0';
    if (name[0] != '/' && strstr(name, "..") == NULL) file(user, name);
  }
}

void mentions_of_script(const char *path, void (*module)(void *user, const char *name),
                        void (*file)(void *user, const char *name), void *user) {
  struct content text;
  if (!read_file(path, &text)) return;
  const char *end = text.bytes + text.size;
  /* The first pass handles names in quotes, because they may be folders in which the second pass finds modules. */
  for (int pass = 0; pass < 2; pass++)
    for (const char *line = text.bytes; line < end;) {
      const char *stop = memchr(line, '\n', (size_t)(end - line));
      const size_t length = (size_t)((stop != NULL ? stop : end) - line);
      if (pass == 0) hear_quoted(line, length, file, user);
      if (pass == 1 && memmem(line, length, "import", 6) != NULL) hear_words(line, length, module, user);
      line += length + 1;
    }
  drop_content(&text);
}

enum { DEPTH_MOST = 8, ADDED_FOLDERS_MOST = 8 };

struct search {
  char folder[PATH_MAX]; /* the plugin's folder */
  const char *plugin;
  struct brought *found;
  off_t bytes;         /* number of bytes of all files that were found so far */
  struct strings more; /* further folders in which scripts may find modules */
};

static bool is_regular(const char *path, off_t *bytes) {
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  *bytes = info.st_size;
  return true;
}

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), tail = strlen(ending);
  return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* ---- Adding a file ---- */

static void hash_brought_file(struct brought_file *file) {
  struct err ignored = {0};
  const int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || loader_file_sha256(fd, file->sha256, &ignored) != 0) file->sha256[0] = '\0';
  if (fd >= 0) close(fd);
}

static void add_brought_file(struct search *s, const char *folder, const char *name, bool relative, bool library) {
  char path[PATH_MAX], shown[PATH_MAX];
  off_t bytes;
  if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path || strcmp(path, s->plugin) == 0) return;
  for (size_t i = 0; i < s->found->count; i++)
    if (strcmp(s->found->items[i].path, path) == 0) {
      s->found->items[i].library |= library;
      return;
    }
  if (s->found->count == BROUGHT_MOST || !is_regular(path, &bytes) || bytes > BROUGHT_BYTES_MOST) return;
  if (s->bytes + bytes > 2 * (off_t)BROUGHT_BYTES_MOST) return;
  s->bytes += bytes;
  mentions_relative(s->folder, path, shown, sizeof shown);
  s->found->items = xgrow(s->found->items, s->found->count, sizeof *s->found->items);
  struct brought_file *file = &s->found->items[s->found->count++];
  *file = (struct brought_file){xstrdup(relative ? shown : path), xstrdup(path), library, ""};
  hash_brought_file(file);
}

/* ---- Adding modules that a script imports ---- */

/* Returns true if the folder is a virtual environment of Python, which is not part of the plugin. */
static bool is_environment(const char *folder) {
  char path[PATH_MAX];
  off_t bytes;
  return (size_t)snprintf(path, sizeof path, "%s/pyvenv.cfg", folder) < sizeof path && is_regular(path, &bytes);
}

static void add_package(struct search *s, const char *folder, int depth) {
  SCOPED_DIR DIR *list = depth < DEPTH_MOST && !is_environment(folder) ? opendir(folder) : NULL;
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    char below[PATH_MAX];
    struct stat info;
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "__pycache__") == 0) continue;
    if ((size_t)snprintf(below, sizeof below, "%s/%s", folder, entry->d_name) >= sizeof below) continue;
    if (lstat(below, &info) == 0 && S_ISDIR(info.st_mode))
      add_package(s, below, depth + 1);
    else if (script_is(entry->d_name) || ends_with(entry->d_name, ".so"))
      add_brought_file(s, folder, entry->d_name, true, false);
  }
}

/* Adds the files that may be the module of this name. For "kernels" these are kernels.py, the package kernels, and
 * files such as kernels.cpython-311-x86_64-linux-gnu.so. */
static void add_module_of(struct search *s, const char *folder, const char *module) {
  char path[PATH_MAX];
  struct stat info;
  const size_t length = strlen(module);
  SCOPED_DIR DIR *list = opendir(folder);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    const char *name = entry->d_name;
    if (strncmp(name, module, length) != 0) continue;
    if (name[length] == '.' && (strcmp(name + length, SCRIPT_ENDING) == 0 || ends_with(name, ".so")))
      add_brought_file(s, folder, name, true, false);
    if (name[length] != '\0' || (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) continue;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) add_package(s, path, 0);
  }
}

static void add_module(void *user, const char *module) {
  struct search *s = user;
  add_module_of(s, s->folder, module);
  for (size_t i = 0; i < s->more.count; i++)
    add_module_of(s, s->more.items[i], module);
}

/* Adds the file of this name. If there is a folder of this name in the script's folder or next to it, remembers that
 * folder, because the script may add it to sys.path. */
static void add_quoted(void *user, const char *name) {
  static const char *const places[] = {"", "/.."};
  struct search *s = user;
  if (strchr(name, '.') != NULL) add_brought_file(s, s->folder, name, true, false);
  for (size_t i = 0; i < 2 && s->more.count < ADDED_FOLDERS_MOST; i++) {
    char path[PATH_MAX];
    struct stat info;
    if ((size_t)snprintf(path, sizeof path, "%s%s/%s", s->folder, places[i], name) >= sizeof path) continue;
    SCOPED char *real = stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? realpath(path, NULL) : NULL;
    if (real != NULL && strcmp(real, s->folder) != 0) strings_add_once(&s->more, real);
  }
}

/* ---- Adding libraries and their data ---- */

static void add_named(void *user, const struct mentions_folder *folder, const char *name, bool bare) {
  struct search *s = user;
  s->found->looked_for = true;
  const bool library = folder->searched && bare && strstr(name, ".so") != NULL;
  if (library || !folder->searched) add_brought_file(s, folder->path, name, folder->relative, library);
}

static void look_into(struct search *s, const char *path) {
  if (script_is(path))
    mentions_of_script(path, add_module, add_quoted, s);
  else
    mentions_of_library(path, add_named, s);
}

static int by_file_name(const void *a, const void *b) {
  return strcmp(((const struct brought_file *)a)->name, ((const struct brought_file *)b)->name);
}

void brought_find(const char *path, struct brought *brought) {
  struct search s = {.plugin = path, .found = brought};
  *brought = (struct brought){0};
  text_copy(s.folder, sizeof s.folder, path);
  char *slash = strrchr(s.folder, '/');
  if (slash == NULL) return;
  *slash = '\0';
  brought->looked_for = script_is(path);
  look_into(&s, path);
  for (size_t i = 0; i < brought->count; i++) {
    SCOPED char *next = xstrdup(brought->items[i].path); /* a copy, because adding items may move the list */
    look_into(&s, next);
  }
  strings_free(&s.more);
  if (brought->count > 0) qsort(brought->items, brought->count, sizeof *brought->items, by_file_name);
}

void brought_free(struct brought *brought) {
  for (size_t i = 0; i < brought->count; i++) {
    free(brought->items[i].name);
    free(brought->items[i].path);
  }
  free(brought->items);
  *brought = (struct brought){0};
}

void brought_identity(const struct brought *brought, const char *own, char identity[65]) {
  SHA2_CTX context;
  text_copy(identity, 65, own);
  if (brought->count == 0) return;
  SHA256Init(&context);
  SHA256Update(&context, (const uint8_t *)own, strlen(own));
  for (size_t i = 0; i < brought->count; i++) {
    const struct brought_file *file = &brought->items[i];
    SHA256Update(&context, (const uint8_t *)"\n", 1);
    SHA256Update(&context, (const uint8_t *)file->sha256, strlen(file->sha256));
    SHA256Update(&context, (const uint8_t *)" ", 1);
    SHA256Update(&context, (const uint8_t *)file->name, strlen(file->name));
  }
  SHA256Update(&context, (const uint8_t *)"\n", 1);
  SHA256End(&context, identity);
}

const struct brought_file *brought_clash(const struct brought *a, const struct brought *b,
                                         const struct brought_file **other) {
  for (size_t i = 0; i < b->count; i++)
    for (size_t j = 0; j < a->count; j++) {
      const struct brought_file *one = &a->items[j], *two = &b->items[i];
      if (!one->library || !two->library || strcmp(text_file_name(one->path), text_file_name(two->path)) != 0) continue;
      if (one->sha256[0] != '\0' && strcmp(one->sha256, two->sha256) == 0) continue;
      *other = one;
      return two;
    }
  return NULL;
}
