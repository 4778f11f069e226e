/* Plugin files: found, looked over as ELF, opened, asked to register. Worker side but for the first two functions. */
#include "loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi.h"
#include "services.h"

/* ---- Finding ---- */

static void search_directories(struct strings *list) {
  char self[PATH_MAX], *variable = getenv("GPUBENCH_PLUGIN_PATH");
  char *copy = xstrdup(variable ? variable : ""), *rest = copy, *item;
  while ((item = strsep(&rest, ":")) != NULL)
    if (item[0] == '/') strings_add(list, item);
  free(copy);
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 64);
  if (length <= 0) return;
  self[length] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(self, '/');
    if (slash != NULL) *slash = '\0';
  }
  strcat(self, "/lib/gpubench/plugins");
  strings_add(list, self);
}

static void add_plugin_names(const char *directory, struct strings *names) {
  DIR *stream = opendir(directory);
  struct dirent *entry;
  while (stream != NULL && (entry = readdir(stream)) != NULL) {
    char *name = xstrdup(entry->d_name);
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".so") == 0) {
      name[length - 3] = '\0';
      strings_add(names, name);
    }
    free(name);
  }
  if (stream != NULL) closedir(stream);
}

void loader_available(struct strings *names) {
  struct strings directories = {0};
  search_directories(&directories);
  for (size_t i = 0; i < directories.count; i++)
    add_plugin_names(directories.items[i], names);
  strings_free(&directories);
}

static int not_found(const char *name, const struct strings *directories, struct err *err) {
  struct strings names = {0};
  char looked[1024], stem[ID_SIZE];
  for (size_t i = 0; i < directories->count; i++)
    add_plugin_names(directories->items[i], &names);
  text_copy(stem, sizeof stem, name);
  size_t length = strlen(stem);
  if (length > 3 && strcmp(stem + length - 3, ".so") == 0) stem[length - 3] = '\0';
  const char *nearest = text_nearest(stem, (const char *const *)names.items, names.count);
  text_join(looked, sizeof looked, (const char *const *)directories->items, directories->count);
  err_set(err, EXIT_USAGE, "plugin '%s' not found%s%s%s (looked in %s)%s%s%s", name, nearest ? "; nearest '" : "",
          nearest ? nearest : "", nearest ? "'" : "", looked, access(name, F_OK) == 0 ? "; './" : "",
          access(name, F_OK) == 0 ? name : "", access(name, F_OK) == 0 ? "' is a path" : "");
  strings_free(&names);
  return -1;
}

static int find_bare(const char *name, char *path, size_t size, struct err *err) {
  struct strings directories = {0};
  struct stat info;
  int rc = -1;
  search_directories(&directories);
  for (size_t i = 0; rc != 0 && i < directories.count; i++)
    for (int suffix = 0; rc != 0 && suffix < 2; suffix++) {
      int length = snprintf(path, size, "%s/%s%s", directories.items[i], name, suffix ? ".so" : "");
      if (length > 0 && (size_t)length < size && stat(path, &info) == 0 && S_ISREG(info.st_mode)) rc = 0;
    }
  if (rc != 0) not_found(name, &directories, err);
  strings_free(&directories);
  return rc;
}

int loader_find(const char *name, char *path, size_t size, struct err *err) {
  char *real;
  if (strchr(name, '/') == NULL) return find_bare(name, path, size, err);
  real = realpath(name, NULL);
  if (real == NULL) return err_set(err, EXIT_USAGE, "plugin '%s' not found: %s", name, strerror(errno));
  bool fits = text_copy(path, size, real);
  free(real);
  return fits ? 0 : err_set(err, EXIT_USAGE, "plugin '%s': path too long", name);
}

int loader_sha256(const char *path, char hex[65], struct err *err) {
  return SHA256File(path, hex) != NULL ? 0 : err_set(err, EXIT_FAILED, "%s: %s", path, strerror(errno));
}

/* ---- Looking over ---- */

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
#error "which ELF machine is this?"
#endif

/* What dlopen would say in riddles, or not at all: a file still being written maps and then dies of SIGBUS. */
static int check_elf(const char *path, struct err *err) {
  Elf64_Ehdr head = {0};
  struct stat info;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return err_set(err, EXIT_FAILED, "%s", strerror(errno));
  size_t got = fread(&head, 1, sizeof head, file);
  int rc = fstat(fileno(file), &info);
  fclose(file);
  if (rc != 0 || got < sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return err_set(err, EXIT_FAILED, "not an ELF file");
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != MACHINE)
    return err_set(err, EXIT_FAILED, "built for ELF machine %u, this host runs on %u", head.e_machine, MACHINE);
  uint64_t end = head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize;
  if ((uint64_t)info.st_size < end)
    return err_set(err, EXIT_FAILED, "file too short (%lld of %llu bytes): is the linker still writing it?",
                   (long long)info.st_size, (unsigned long long)end);
  return 0;
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

/* ---- Loading ---- */

static int open_plugin(struct plugin *plugin, struct phase_page *page, struct err *err) {
  gb_registry registry = {.plugin = plugin};
  services_host(plugin);
  phase_enter(page, PHASE_OPEN, -1);
  gb_status status = plugin->own.open(&plugin->host, &registry, &plugin->self);
  phase_leave(page);
  if (registry.err.exit_code != 0) return err_set(err, EXIT_FAILED, "%s", registry.err.text);
  if (status == GB_OK) return 0;
  if (plugin->message[0] == '\0')
    return err_set(err, EXIT_FAILED, "open returned %d without a message: a defect of the plugin", status);
  return err_set(err, EXIT_FAILED, "open: %s", plugin->message);
}

void plugin_free(struct plugin *plugin) {
  if (plugin == NULL) return;
  for (size_t i = 0; i < plugin->bench_count; i++)
    free(plugin->benches[i]);
  for (size_t i = 0; i < plugin->variant_count; i++)
    free(plugin->variants[i]);
  free(plugin->benches);
  free(plugin->variants);
  free(plugin);
}

static int load(struct plugin *plugin, struct phase_page *page, struct err *err) {
  if (check_elf(plugin->path, err) != 0) return -1;
  phase_enter(page, PHASE_LOAD, -1);
  void *handle = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
  phase_leave(page);
  if (handle == NULL) return err_set(err, EXIT_FAILED, "%s", dlerror());
  const void *symbol = dlsym(handle, "gb_plugin_v1");
  if (symbol == NULL) return no_entry(handle, err);
  if (abi_plugin(symbol, &plugin->own, &plugin->desc, err) != 0) return -1;
  if (open_plugin(plugin, page, err) != 0) return err_context(err, "plugin '%s'", plugin->desc.id);
  plugin->desc.bench_count = (uint32_t)plugin->bench_count;
  plugin->desc.variant_count = (uint32_t)plugin->variant_count;
  return 0;
}

int loader_load(const char *path, struct phase_page *page, struct plugin **plugin, struct err *err) {
  *plugin = xcalloc(1, sizeof **plugin);
  text_copy((*plugin)->path, sizeof(*plugin)->path, path);
  if (load(*plugin, page, err) == 0) return 0;
  err_context(err, "%s", path);
  plugin_free(*plugin);
  *plugin = NULL;
  return -1;
}
