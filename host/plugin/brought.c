#include "plugin/brought.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "plugin/file.h"
#include "plugin/mentions.h"
#include "plugin/script.h"

enum { DEPTH_MOST = 8, FOLDERS_MOST = 8 };

struct search {
  char folder[PATH_MAX]; /* the plugin's */
  const char *plugin;
  struct brought *found;
  off_t bytes;         /* of all that was found */
  struct strings more; /* folders in which scripts may look for modules, too */
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

/* ---- One file more ---- */

static void hash(struct brought_file *file) {
  struct err ignored = {0};
  const int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || loader_file_sha256(fd, file->sha256, &ignored) != 0) file->sha256[0] = '\0';
  if (fd >= 0) close(fd);
}

static void add(struct search *s, const char *folder, const char *name, bool relative, bool library) {
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
  hash(file);
}

/* ---- Modules ---- */

/* A virtual environment is no package of the plugin's, whatever it is called. */
static bool is_environment(const char *folder) {
  char path[PATH_MAX];
  off_t bytes;
  return (size_t)snprintf(path, sizeof path, "%s/pyvenv.cfg", folder) < sizeof path && is_regular(path, &bytes);
}

static void add_package(struct search *s, const char *folder, int depth) {
  DIR *list = depth < DEPTH_MOST && !is_environment(folder) ? opendir(folder) : NULL;
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    char below[PATH_MAX];
    struct stat info;
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "__pycache__") == 0) continue;
    if ((size_t)snprintf(below, sizeof below, "%s/%s", folder, entry->d_name) >= sizeof below) continue;
    if (lstat(below, &info) == 0 && S_ISDIR(info.st_mode))
      add_package(s, below, depth + 1);
    else if (script_is(entry->d_name) || ends_with(entry->d_name, ".so"))
      add(s, folder, entry->d_name, true, false);
  }
  if (list != NULL) closedir(list);
}

/* kernels.py, the package kernels, and kernels.cpython-311-x86_64-linux-gnu.so. */
static void add_module_of(struct search *s, const char *folder, const char *module) {
  char path[PATH_MAX];
  struct stat info;
  const size_t length = strlen(module);
  DIR *list = opendir(folder);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    const char *name = entry->d_name;
    if (strncmp(name, module, length) != 0) continue;
    if (name[length] == '.' && (strcmp(name + length, SCRIPT_ENDING) == 0 || ends_with(name, ".so")))
      add(s, folder, name, true, false);
    if (name[length] != '\0' || (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) continue;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) add_package(s, path, 0);
  }
  if (list != NULL) closedir(list);
}

static void add_module(void *user, const char *module) {
  struct search *s = user;
  add_module_of(s, s->folder, module);
  for (size_t i = 0; i < s->more.count; i++)
    add_module_of(s, s->more.items[i], module);
}

/* A file, or a folder that sys.path may be made to lead to: below the script's, or beside it. */
static void add_quoted(void *user, const char *name) {
  static const char *const places[] = {"", "/.."};
  struct search *s = user;
  if (strchr(name, '.') != NULL) add(s, s->folder, name, true, false);
  for (size_t i = 0; i < 2 && s->more.count < FOLDERS_MOST; i++) {
    char path[PATH_MAX];
    struct stat info;
    if ((size_t)snprintf(path, sizeof path, "%s%s/%s", s->folder, places[i], name) >= sizeof path) continue;
    SCOPED char *real = stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? realpath(path, NULL) : NULL;
    if (real != NULL && strcmp(real, s->folder) != 0) strings_add_once(&s->more, real);
  }
}

/* ---- Libraries, and what they read ---- */

static void add_named(void *user, const struct mentions_folder *folder, const char *name, bool bare) {
  struct search *s = user;
  s->found->looked_for = true;
  const bool library = folder->searched && bare && strstr(name, ".so") != NULL;
  if (library || !folder->searched) add(s, folder->path, name, folder->relative, library);
}

static void look_into(struct search *s, const char *path) {
  if (script_is(path))
    mentions_of_script(path, add_module, add_quoted, s);
  else
    mentions_of_library(path, add_named, s);
}

static int by_name(const void *a, const void *b) {
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
    SCOPED char *next = xstrdup(brought->items[i].path); /* the items may move */
    look_into(&s, next);
  }
  strings_free(&s.more);
  if (brought->count > 0) qsort(brought->items, brought->count, sizeof *brought->items, by_name);
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

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

const struct brought_file *brought_clash(const struct brought *a, const struct brought *b,
                                         const struct brought_file **other) {
  for (size_t i = 0; i < b->count; i++)
    for (size_t j = 0; j < a->count; j++) {
      const struct brought_file *one = &a->items[j], *two = &b->items[i];
      if (!one->library || !two->library || strcmp(last_part(one->path), last_part(two->path)) != 0) continue;
      if (one->sha256[0] != '\0' && strcmp(one->sha256, two->sha256) == 0) continue;
      *other = one;
      return two;
    }
  return NULL;
}
