/* Plugin files: the parent finds and inspects them; a worker checks them, opens them and lets them register. */
#include "plugin/loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"
#include "model/build_label.h"
#include "model/rule.h"
#include "plugin/abi.h"
#include "plugin/brought.h"
#include "plugin/elf.h"
#include "plugin/process_state.h"
#include "plugin/script.h"

/* The functions up to loader_why() rewrite messages of the dynamic loader, because these name the missing library or
 * symbol, but neither the file that needs it nor what the user can do. */

/* Cuts `text` at the first `mark`. Returns what follows the mark, or NULL if there is none. */
static char *cut_at_mark(char *text, const char *mark) {
  char *at = strstr(text, mark);
  if (at == NULL) return NULL;
  *at = '\0';
  return at + strlen(mark);
}

static int missing_library(int fd, const char *path, const char *name, struct err *err) {
  SCOPED_STRINGS struct strings needed = {0};
  char raw[1024], runpath[1024];
  const char *variable = getenv("LD_LIBRARY_PATH");
  loader_elf_needs(fd, &needed, raw, sizeof raw);
  loader_elf_origin(raw, path, runpath, sizeof runpath);
  const bool own = strings_has(&needed, name);
  /* the dynamic loader searches the plugin's RUNPATH only for libraries that the plugin itself needs */
  bool has_path = own && runpath[0] != '\0';
  return err_set(err, EXIT_FAILED, "%s %.256s, which is not found (looked in %s%.600s%sLD_LIBRARY_PATH%s%.400s, %s)",
                 own ? "needs" : "a library that it needs wants", name, has_path ? "its RUNPATH " : "",
                 has_path ? runpath : "", has_path ? ", " : "", variable && variable[0] ? " " : " (not set)",
                 variable ? variable : "", "the loader's cache and its default folders");
}

/* Demangles a C++ name if libstdc++ can be loaded; this program is written in C and does not load it otherwise. */
static char *demangle(const char *symbol) {
  typedef char *demangler(const char *, char *, size_t *, int *);
  demangler *function = NULL;
  void *library = strncmp(symbol, "_Z", 2) == 0 ? dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL) : NULL;
  void *address = library ? dlsym(library, "__cxa_demangle") : NULL;
  int status = -1;
  memcpy(&function, &address, sizeof function);
  return function != NULL ? function(symbol, NULL, NULL, &status) : NULL;
}

static int missing_symbol(const char *path, const char *who, char *symbol, struct err *err) {
  const char *version = cut_at_mark(symbol, ", version ");
  SCOPED char *plain = demangle(symbol);
  bool own = strcmp(who, path) == 0;
  err_set(err, EXIT_FAILED, "%s%.200s uses %.600s%s%.300s%s%s%.64s, which no library that is loaded defines",
          own ? "" : "its library ", own ? "it" : who, plain ? plain : symbol, plain ? " (" : "", plain ? symbol : "",
          plain ? ")" : "", version ? " of version " : "", version ? version : "");
  return -1;
}

static int old_library(const char *path, const char *library, char *version, char *who, struct err *err) {
  who[strcspn(who, ")")] = '\0';
  bool own = strcmp(who, path) == 0;
  return err_set(err, EXIT_FAILED, "%s%.200s needs version %.64s of %.200s, which this machine's %s",
                 own ? "" : "its library ", own ? "it" : who, version, text_file_name(library),
                 "is too old for: build it on an older system");
}

int loader_why(int fd, const char *path, const char *said, struct err *err) {
  char text[1600], *rest, *who;
  text_copy(text, sizeof text, said);
  if (cut_at_mark(text, ": cannot open shared object file: ") != NULL && strcmp(text, path) != 0)
    return missing_library(fd, path, text, err);
  text_copy(text, sizeof text, said);
  if ((rest = cut_at_mark(text, ": undefined symbol: ")) != NULL) return missing_symbol(path, text, rest, err);
  text_copy(text, sizeof text, said);
  if ((rest = cut_at_mark(text, ": version `")) != NULL &&
      (who = cut_at_mark(rest, "' not found (required by ")) != NULL)
    return old_library(path, text, rest, who, err);
  return err_set(err, EXIT_FAILED, "%s", said);
}

/* ---- Several builds of a plugin in one process: glibc keeps one mapping per inode and one library per soname ---- */

/* Returns true if this file is mapped already. dlopen(), which identifies files by inode, would then return the
 * existing mapping instead of a new one. */
static bool loader_builds_mapped(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle != NULL) dlclose(handle); /* drops the reference that was just taken */
  return handle != NULL;
}

/* ---- A private copy of a build ---- */

static int copy_bytes(int from, int to) {
  unsigned char bytes[1 << 16];
  off_t at = 0;
  for (ssize_t got; (got = pread(from, bytes, sizeof bytes, at)) != 0; at += got > 0 ? got : 0) {
    if (got < 0 && errno != EINTR) return -1;
    for (ssize_t done = 0, wrote; done<got; done += wrote> 0 ? wrote : 0)
      if ((wrote = pwrite(to, bytes + done, (size_t)(got - done), at + done)) < 0 && errno != EINTR) return -1;
  }
  return 0;
}

/* Copies the file into a memfd, so that dlopen() maps it a second time. Fails if the SHA-256 of the copy is not
 * `sha256` ("": not checked). Writes the path of the copy to `path`; other processes, such as debuggers and profilers,
 * can read the copy by this path, too. The copy exists as long as the process. Code in the copy that looks for its own
 * folder ($ORIGIN, dladdr) does not find the folder of the plugin. The libraries that the copy needs are those that the
 * first mapping of the plugin loaded. */
static int loader_builds_copy(int fd, const char *sha256, char *path, size_t size, struct err *err) {
  int copy = memfd_create("gpubench-build", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  bool good = copy >= 0 && copy_bytes(fd, copy) == 0 &&
              fcntl(copy, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
  if (!good) err_set(err, EXIT_FAILED, "no private copy for a second build: %s", strerror(errno));
  if (good && loader_file_check(copy, sha256, err) != 0) good = false;
  snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), copy);
  if (!good && copy >= 0) close(copy);
  return good ? 0 : -1;
}

/* ---- The libraries that a build needs ---- */

/* Finds the path from which the library of that name was loaded. Returns false if none is loaded. */
static bool loaded_from(const char *name, char *path, size_t size, struct stat *info) {
  struct link_map *map = NULL;
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  bool known = handle != NULL && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && stat(map->l_name, info) == 0;
  if (known) text_copy(path, size, map->l_name);
  if (handle != NULL) dlclose(handle);
  return known;
}

/* Finds the first file of that name in the directories of a search path. Returns false if there is none. */
static bool find_in_runpath(const char *runpath, const char *name, char *path, size_t size, struct stat *info) {
  for (const char *at = runpath; *at != '\0'; at += *at == ':') {
    size_t length = strcspn(at, ":");
    int fits = snprintf(path, size, "%.*s/%s", (int)length, at, name);
    if (length > 0 && fits > 0 && (size_t)fits < size && stat(path, info) == 0) return true;
    at += length;
  }
  return false;
}

static bool hash_of(const char *path, char sha256[65]) {
  struct err ignored = {0};
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const bool known = fd >= 0 && loader_file_sha256(fd, sha256, &ignored) == 0;
  if (fd >= 0) close(fd);
  return known;
}

/* Returns true if two files have the same contents, so that either may be loaded. */
static bool same_bytes(const char *a, const char *b) {
  char one[65], two[65];
  return hash_of(a, one) && hash_of(b, two) && strcmp(one, two) == 0;
}

static int check_library(const char *runpath, const char *name, struct err *err) {
  char own[PATH_MAX], other[PATH_MAX];
  struct stat wanted, loaded;
  if (strchr(name, '/') != NULL || !loaded_from(name, other, sizeof other, &loaded)) return 0;
  if (!find_in_runpath(runpath, name, own, sizeof own, &wanted)) return 0;
  if ((wanted.st_dev == loaded.st_dev && wanted.st_ino == loaded.st_ino) || same_bytes(own, other)) return 0;
  return err_set(err, EXIT_FAILED, "needs %.300s, but %.300s is loaded under that name and would serve both builds: %s",
                 own, other, "link it statically, or name it differently");
}

/* Refuses a build if a library that it needs is already loaded under the same name from another place: that library
 * would then serve both builds. The message names both libraries. `path` is the file that is open as `fd`. Checks only
 * libraries that the file itself needs and that are found by its RUNPATH. */
static int loader_builds_check(int fd, const char *path, struct err *err) {
  SCOPED_STRINGS struct strings needed = {0};
  char raw[1024], runpath[1024];
  int rc = 0;
  loader_elf_needs(fd, &needed, raw, sizeof raw);
  loader_elf_origin(raw, path, runpath, sizeof runpath);
  for (size_t i = 0; i < needed.count && rc == 0; i++)
    rc = check_library(runpath, needed.items[i], err);
  return rc;
}

/* ---- Finding plugin files ---- */

static void search_directories(struct strings *list) {
  char self[PATH_MAX], *variable = getenv("GPUBENCH_PLUGIN_PATH");
  char *copy = xstrdup(variable ? variable : ""), *rest = copy, *item;
  while ((item = strsep(&rest, ":")) != NULL)
    if (item[0] == '/') strings_add(list, item);
  free(copy);
  if (tree_installed(self, sizeof self, "/lib/gpubench/plugins")) strings_add(list, self);
}

/* Cuts the ending off a plugin's file name. Returns false if the name is not a plugin's. */
static bool cut_ending(char *name, bool scripts) {
  const size_t length = strlen(name);
  if (length <= 3 || (strcmp(name + length - 3, ".so") != 0 && !(scripts && script_is(name)))) return false;
  name[length - 3] = '\0'; /* both endings have three bytes */
  return true;
}

static void add_plugin_names(const char *directory, bool scripts, struct strings *names) {
  SCOPED_DIR DIR *stream = opendir(directory);
  struct dirent *entry;
  while (stream != NULL && (entry = readdir(stream)) != NULL) {
    SCOPED char *name = xstrdup(entry->d_name);
    if (cut_ending(name, scripts)) strings_add(names, name);
  }
}

void loader_available(struct strings *names) {
  SCOPED_STRINGS struct strings directories = {0};
  search_directories(&directories);
  for (size_t i = 0; i < directories.count; i++)
    add_plugin_names(directories.items[i], false, names);
}

static int plugin_not_found(const char *name, const struct strings *directories, struct err *err) {
  SCOPED_STRINGS struct strings names = {0};
  char looked[1024], stem[ID_SIZE];
  for (size_t i = 0; i < directories->count; i++)
    add_plugin_names(directories->items[i], true, &names);
  text_copy(stem, sizeof stem, name);
  cut_ending(stem, true);
  const char *nearest = text_nearest(stem, (const char *const *)names.items, names.count);
  text_join(looked, sizeof looked, (const char *const *)directories->items, directories->count);
  err_set(err, EXIT_USAGE, "plugin '%s' not found%s%s%s (looked in %s%s)%s%s%s", name, nearest ? "; nearest '" : "",
          nearest ? nearest : "", nearest ? "'" : "", looked,
          getenv("GPUBENCH_PLUGIN_PATH") == NULL ? "; GPUBENCH_PLUGIN_PATH adds folders" : "",
          access(name, F_OK) == 0 ? "; './" : "", access(name, F_OK) == 0 ? name : "",
          access(name, F_OK) == 0 ? "' is a path" : "");
  return -1;
}

static int find_bare(const char *name, char *path, size_t size, struct err *err) {
  static const char *const suffixes[] = {"", ".so", SCRIPT_ENDING};
  SCOPED_STRINGS struct strings directories = {0};
  struct stat info;
  int rc = -1;
  search_directories(&directories);
  for (size_t i = 0; rc != 0 && i < directories.count; i++)
    for (size_t suffix = 0; rc != 0 && suffix < sizeof suffixes / sizeof suffixes[0]; suffix++) {
      int length = snprintf(path, size, "%s/%s%s", directories.items[i], name, suffixes[suffix]);
      if (length > 0 && (size_t)length < size && stat(path, &info) == 0 && S_ISREG(info.st_mode)) rc = 0;
    }
  if (rc != 0) plugin_not_found(name, &directories, err);
  return rc;
}

int loader_find(const char *name, char *path, size_t size, struct err *err) {
  char found[PATH_MAX];
  bool typed = strchr(name, '/') != NULL;
  if (!typed && find_bare(name, found, sizeof found, err) != 0) return -1;
  SCOPED char *real = realpath(typed ? name : found, NULL);
  if (real == NULL) return err_set(err, EXIT_USAGE, "plugin '%s' not found: %s", name, strerror(errno));
  bool fits = text_copy(path, size, real);
  return fits ? 0 : err_set(err, EXIT_USAGE, "plugin '%s': path too long", name);
}

/* ---- Inspecting a plugin's file ---- */

static void identify(const char *path, const char *own, char identity[65]) {
  struct brought brought;
  brought_find(path, &brought);
  brought_identity(&brought, own, identity);
  brought_free(&brought);
}

/* Checks that the plugin's file, whose hash is now `own`, and the files that it brings along have not changed since
 * loader_inspect() hashed them. */
static int check_identity(const char *path, const char *own, const char *expected, struct err *err) {
  char now[65];
  if (expected[0] == '\0') return 0;
  identify(path, own, now);
  if (strcmp(now, own) == 0 || strcmp(now, expected) == 0) return loader_hash_check(now, expected, err);
  return err_set(err, EXIT_FAILED,
                 "it, or what it brings along from its folder, was replaced since it was described: run again");
}

/* Inspects a plugin's file. The stamp (of the file's size, times and folders) is computed before the file is read, so
 * that a file that changes meanwhile does not match its stamp. */
int loader_inspect(struct catalog_plugin *plugin, enum loader_trust trust, struct err *err) {
  struct loader_user me;
  struct brought brought;
  char own[65], stamp[65];
  loader_me(&me);
  int fd = loader_file_open(plugin->path, trust, &me, plugin->warning, sizeof plugin->warning, err);
  if (fd < 0) return err_context(err, "%s", plugin->path);
  mentions_stamp(plugin->path, stamp);
  int rc = loader_file_sha256(fd, own, err);
  close(fd);
  if (rc != 0) return err_context(err, "%s", plugin->path);
  brought_find(plugin->path, &brought);
  brought_identity(&brought, own, plugin->sha256);
  text_copy(plugin->stamp, sizeof plugin->stamp, brought.looked_for ? "" : stamp);
  brought_free(&brought);
  return 0;
}

void loader_order(char *to, size_t size, const struct catalog_plugin *plugin) {
  snprintf(to, size, "%s:%s:%s:%s", plugin->sha256, plugin->label, plugin->stamp, plugin->path);
}

static int no_entry(void *handle, struct err *err) {
  for (int major = 2; major < 10; major++) {
    char symbol[32];
    snprintf(symbol, sizeof symbol, "gb_plugin_v%d", major);
    if (dlsym(handle, symbol) != NULL)
      return err_set(err, EXIT_FAILED, "built for ABI %d, this host speaks %u", major, GB_ABI_VERSION >> 16);
  }
  return err_set(err, EXIT_FAILED, "no gb_plugin_v1 in it: not a gpubench plugin");
}

/* ---- Loading a plugin ---- */

/* The parts of a text of loader_order() by which the file is checked. Both are empty if the text is only a path; then
 * neither is checked. */
struct order {
  char sha256[65], stamp[65];
};

/* Restores and reports what loading the plugin changed in the process: for example, a library built with -ffast-math
 * sets flush-to-zero. */
static int check_settings(const struct plugin *plugin, const struct loader_host *host, const char *what,
                          struct err *err) {
  struct process_state_finding finding;
  char text[sizeof finding.text + 64];
  enum process_state_harm harm = process_state_check(&finding);
  if (harm == PROCESS_STATE_NONE) return 0;
  if (harm >= PROCESS_STATE_LASTING) {
    err_set(err, EXIT_FAILED, "%s %s", what, finding.text);
    return err_about(err, RULE_PROCESS);
  }
  snprintf(text, sizeof text, "%s %s; put back", what, finding.text);
  if (host->changed != NULL) host->changed(text);
  host->log(plugin->shown[0] != '\0' ? plugin->shown : text_file_name(plugin->path), GB_LOG_WARNING, text);
  return 0;
}

static int open_plugin(struct plugin *plugin, const struct loader_host *host, struct phase_page *page,
                       struct err *err) {
  gb_registry registry = {.plugin = plugin};
  char message[MSG_SIZE];
  plugin->host = *host->table;
  plugin->opening = &registry;
  phase_enter(page, PHASE_OPEN, -1);
  gb_status status = plugin->own.open(&plugin->host, &registry, &plugin->self);
  phase_leave(page);
  plugin->opening = NULL;
  if (check_settings(plugin, host, "open", err) != 0) return -1;
  if (registry.err.exit_code != 0) {
    *err = registry.err;
    err->exit_code = EXIT_FAILED;
    return err_about(err, RULE_TABLES);
  }
  if (status == GB_OK) return 0;
  const bool said = said_copy(&plugin->said, message, sizeof message);
  if (said)
    err_set(err, EXIT_FAILED, "open: %s", message);
  else
    err_set(err, EXIT_FAILED, "open returned %d without a message: a bug in the plugin", status);
  return err_about(err, said ? RULE_OPEN : RULE_MESSAGES);
}

void plugin_free(struct plugin *plugin) {
  if (plugin == NULL) return;
  for (size_t i = 0; i < plugin->bench_count; i++)
    free(plugin->benches[i]);
  for (size_t i = 0; i < plugin->variant_count; i++)
    free(plugin->variants[i]);
  for (size_t i = 0; i < plugin->setting_count; i++)
    free(plugin->settings[i]);
  free(plugin->benches);
  free(plugin->variants);
  free(plugin->settings);
  free(plugin->script);
  free(plugin);
}

/* Checks that the path still names the file that was inspected, because dlopen() takes a path. (A path through /proc to
 * the open file would not do: $ORIGIN and debuggers would not find the folder.) */
static int check_same(int fd, const char *path, struct err *err) {
  struct stat looked_at, named;
  if (fstat(fd, &looked_at) == 0 && stat(path, &named) == 0 && looked_at.st_dev == named.st_dev &&
      looked_at.st_ino == named.st_ino && looked_at.st_size == named.st_size &&
      looked_at.st_mtim.tv_sec == named.st_mtim.tv_sec && looked_at.st_mtim.tv_nsec == named.st_mtim.tv_nsec)
    return 0;
  return err_set(err, EXIT_FAILED, "the file was replaced while it was being loaded: run again");
}

static void *open_library(const char *path, struct phase_page *page) {
  phase_enter(page, PHASE_LOAD, -1);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  phase_leave(page);
  return handle;
}

/* Checks that the file still has the contents that the parent inspected, whose hash is in the order. `own` becomes the
 * hash of the file alone, without the files that it brings along. */
static int check_bytes(const char *path, int fd, const struct order *order, char own[65], struct err *err) {
  char stamp[65];
  text_copy(own, 65, order->sha256);
  mentions_stamp(path, stamp);
  if (order->sha256[0] == '\0' || (stamp[0] != '\0' && strcmp(stamp, order->stamp) == 0)) return 0;
  return loader_file_sha256(fd, own, err) != 0 ? -1 : check_identity(path, own, order->sha256, err);
}

static int map_file(const struct plugin *plugin, const char *path, int fd, const struct order *order,
                    struct phase_page *page, void **handle, struct err *err) {
  char copy[64], own[65];
  if (check_bytes(path, fd, order, own, err) != 0 || loader_elf_check(fd, err) != 0) return -1;
  bool again = loader_builds_mapped(path);
  if (again && loader_builds_copy(fd, own, copy, sizeof copy, err) != 0) return -1;
  if (!again && plugin->label[0] != '\0' && loader_builds_check(fd, path, err) != 0) return -1;
  *handle = open_library(again ? copy : path, page);
  if (*handle == NULL) return loader_why(fd, path, dlerror(), err);
  return again ? 0 : check_same(fd, path, err);
}

/* Maps the plugin's shared object. For a script, maps the shared object of the plugin that runs scripts. */
static int map_plugin(struct plugin *plugin, const struct loader_host *host, const struct order *order,
                      struct phase_page *page, void **handle, struct err *err) {
  char library[PATH_MAX];
  const bool script = script_is(plugin->path);
  char own[65];
  if (script && (script_take(plugin, own, err) != 0 || check_identity(plugin->path, own, order->sha256, err) != 0 ||
                 script_library(library, sizeof library, err) != 0))
    return -1;
  const char *path = script ? library : plugin->path;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return err_set(err, EXIT_FAILED, "%s%s%s", script ? path : "", script ? ": " : "", strerror(errno));
  int rc = map_file(plugin, path, fd, script ? &(struct order){0} : order, page, handle, err);
  if (rc == 0) rc = check_settings(plugin, host, "loading it", err);
  close(fd);
  return rc;
}

static int load_from_library(struct plugin *plugin, const struct loader_host *host, const struct order *order,
                             struct phase_page *page, struct err *err) {
  void *handle = NULL;
  if (map_plugin(plugin, host, order, page, &handle, err) != 0) return err_about(err, RULE_LOAD);
  const void *symbol = dlsym(handle, "gb_plugin_v1");
  int rc = symbol == NULL ? no_entry(handle, err) : abi_plugin(symbol, &plugin->own, &plugin->desc, err);
  if (rc == 0 && plugin->script != NULL) rc = script_name(plugin->path, plugin->desc.id, err);
  if (rc != 0) return err_about(err, RULE_ENTRY);
  label_show(plugin->shown, sizeof plugin->shown, plugin->desc.id, plugin->label);
  if (open_plugin(plugin, host, page, err) != 0) return err_context(err, "plugin '%s'", plugin->shown);
  plugin->desc.bench_count = (uint32_t)plugin->bench_count;
  plugin->desc.variant_count = (uint32_t)plugin->variant_count;
  plugin->desc.setting_count = (uint32_t)plugin->setting_count;
  return 0;
}

/* Copies the text up to the next colon, truncated to the buffer. Returns the text after the colon. */
static const char *take_part(const char *from, char *to, size_t size) {
  const size_t length = strcspn(from, ":");
  text_copy(to, length < size ? length + 1 : size, from);
  return from + length + (from[length] == ':');
}

int loader_load(const char *text, const struct loader_host *host, struct phase_page *page, struct plugin **plugin,
                struct err *err) {
  struct order order = {0};
  const char *path = text;
  *plugin = xcalloc(1, sizeof **plugin);
  if (text[0] != '/') {
    path = take_part(path, order.sha256, sizeof order.sha256);
    path = take_part(path, (*plugin)->label, sizeof(*plugin)->label);
    path = take_part(path, order.stamp, sizeof order.stamp);
  }
  text_copy((*plugin)->path, sizeof(*plugin)->path, path);
  if (load_from_library(*plugin, host, &order, page, err) == 0) return 0;
  err_context(err, "%s", path);
  plugin_free(*plugin);
  *plugin = NULL;
  return -1;
}
