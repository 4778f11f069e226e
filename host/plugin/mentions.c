#include "plugin/mentions.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
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

enum { NAME_MOST = 255, FOLDERS_MOST = 16, BYTES_MOST = 1 << 28, CLOCK_STEP_MOST_S = 2 };

/* A copy: what is mapped may become shorter while somebody reads it. */
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

static void drop(struct content *content) {
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

/* ---- Shared objects ---- */

struct listing {
  struct mentions_folder folder;
  struct strings names; /* of its files, ordered */
};

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_names(struct listing *listing) {
  DIR *list = opendir(listing->folder.path);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
    if (entry->d_name[0] != '.' && strchr(entry->d_name, '.') != NULL) strings_add(&listing->names, entry->d_name);
  if (list != NULL) closedir(list);
  if (listing->names.count > 0) qsort(listing->names.items, listing->names.count, sizeof(char *), by_text);
}

/* Its own folder, then those of its RUNPATH. */
static size_t find_folders(const char *path, int fd, struct listing *listings) {
  struct strings needed = {0};
  char runpath[1024];
  size_t count = 1;
  loader_elf_needs(fd, &needed, runpath, sizeof runpath);
  strings_free(&needed);
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

/* Is its last change long enough ago? */
static bool add_state(SHA2_CTX *context, const struct stat *info) {
  const struct timespec mtime = info->st_mtim, ctime = info->st_ctim;
  const int64_t state[] = {(int64_t)info->st_dev, (int64_t)info->st_ino, (int64_t)info->st_size, mtime.tv_sec,
                           mtime.tv_nsec,         ctime.tv_sec,          ctime.tv_nsec};
  SHA256Update(context, (const uint8_t *)state, sizeof state);
  return time(NULL) - ctime.tv_sec > CLOCK_STEP_MOST_S;
}

void mentions_stamp(const char *path, char stamp[65]) {
  struct listing *listings = xcalloc(FOLDERS_MOST, sizeof *listings);
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
  free(listings);
}

static bool has(const struct listing *listing, const char *name) {
  return listing->names.count > 0 &&
         bsearch(&name, listing->names.items, listing->names.count, sizeof(char *), by_text) != NULL;
}

struct hearing {
  const struct listing *listings;
  size_t count;
  void (*take)(void *user, const struct mentions_folder *folder, const char *name, bool bare);
  void *user;
};

/* Of the folders that the loader searches the first one has it. */
static void hear(const struct hearing *h, const char *name, bool bare) {
  for (size_t i = 0, searched = 0; i < h->count && searched == 0; i++) {
    if (!has(&h->listings[i], name)) continue;
    h->take(h->user, &h->listings[i].folder, name, bare);
    searched += h->listings[i].folder.searched && bare;
  }
}

void mentions_of_library(const char *path,
                         void (*take)(void *user, const struct mentions_folder *folder, const char *name, bool bare),
                         void *user) {
  struct content file;
  if (!read_file(path, &file)) return;
  struct listing *listings = xcalloc(FOLDERS_MOST, sizeof *listings);
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
    if (begin[-1] == '\0' || begin[-1] == '/') hear(&h, name, begin[-1] == '\0');
  }
  for (size_t i = 0; i < h.count; i++)
    strings_free(&listings[i].names);
  free(listings);
  drop(&file);
}

/* ---- Scripts ---- */

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

/* What stands between two quotes of a kind in one line, and looks like a name of files. */
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
  for (int pass = 0; pass < 2; pass++) /* names in quotes first: they may be folders of modules */
    for (const char *line = text.bytes; line < end;) {
      const char *stop = memchr(line, '\n', (size_t)(end - line));
      const size_t length = (size_t)((stop != NULL ? stop : end) - line);
      if (pass == 0) hear_quoted(line, length, file, user);
      if (pass == 1 && memmem(line, length, "import", 6) != NULL) hear_words(line, length, module, user);
      line += length + 1;
    }
  drop(&text);
}
