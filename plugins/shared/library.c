/* Opens vendors' libraries by name. */
#include "library.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns false if LD_LIBRARY_PATH has an empty or relative part, because the loader would then search the current
 * directory. */
static int loader_is_safe(void) {
  const char *at = getenv("LD_LIBRARY_PATH");
  if (at == NULL || at[0] == '\0') return 1;
  for (;;) {
    if (at[0] != '/') return 0;
    at += strcspn(at, ":;");
    if (at[0] == '\0') return 1;
    at++;
  }
}

static void *open_shared_object(const char *file, char *path, size_t path_size) {
  struct link_map *map = NULL;
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  const int known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != NULL;
  snprintf(path, path_size, "%s", known ? map->l_name : file);
  return library;
}

void *library_open(const char *name, const char *const *folders, char *path, size_t path_size, char *why,
                   size_t why_size) {
  char file[1024];
  void *library = loader_is_safe() ? open_shared_object(name, path, path_size) : NULL;
  if (library != NULL) return library;
  const char *reason = loader_is_safe() ? dlerror() : "LD_LIBRARY_PATH has a part that is not absolute";
  snprintf(why, why_size, "%s: %s", name, reason == NULL ? "not found" : reason);
  for (; *folders != NULL; folders++) {
    if ((*folders)[0] != '/' || snprintf(file, sizeof file, "%s/%s", *folders, name) >= (int)sizeof file) continue;
    library = open_shared_object(file, path, path_size);
    if (library != NULL) return library;
  }
  return NULL;
}

void *library_open_cuda(const char *name, char *path, size_t path_size, char *why, size_t why_size) {
  static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
  char homes[2][1024];
  const char *folders[5] = {NULL};
  size_t count = 0;
  for (size_t i = 0; i < 2; i++) {
    const char *value = getenv(variables[i]);
    if (value == NULL || snprintf(homes[i], sizeof homes[i], "%s/lib64", value) >= (int)sizeof homes[i]) continue;
    folders[count++] = homes[i];
  }
  folders[count++] = "/usr/local/cuda/lib64";
  folders[count] = "/opt/cuda/lib64";
  return library_open(name, folders, path, path_size, why, why_size);
}

/* Finds the prefix of the first python3 in PATH: /opt/venv for /opt/venv/bin/python3. Parts of PATH that are not
 * absolute or do not end in "/bin" are skipped. */
static int python_home(char *home, size_t size) {
  const char *at = getenv("PATH");
  while (at != NULL && at[0] != '\0') {
    const int length = (int)strcspn(at, ":"), end = length > 4 && strncmp(at + length - 4, "/bin", 4) == 0;
    const int fits = snprintf(home, size, "%.*s/python3", length, at) < (int)size;
    if (at[0] == '/' && end && fits && access(home, X_OK) == 0) {
      home[length - 4] = '\0';
      return 1;
    }
    at += length + (at[length] == ':');
  }
  return 0;
}

static void *open_below(const char *home, const char *name, const char *package, char *path, size_t path_size) {
  static const char *const parts[] = {"site", "dist"};
  void *library = NULL;
  for (size_t i = 0; i < 2 && library == NULL; i++) {
    char pattern[1024];
    glob_t found;
    if (snprintf(pattern, sizeof pattern, "%s/lib/python3*/%s-packages/nvidia/%s/lib/%s", home, parts[i], package,
                 name) >= (int)sizeof pattern ||
        glob(pattern, 0, NULL, &found) != 0)
      continue;
    for (size_t k = 0; k < found.gl_pathc && library == NULL; k++)
      library = open_shared_object(found.gl_pathv[k], path, path_size);
    globfree(&found);
  }
  return library;
}

void *library_open_pip(const char *name, const char *package, char *path, size_t path_size, char *why,
                       size_t why_size) {
  char of_path[1024], own[1024];
  const char *const home = getenv("HOME");
  const char *const homes[] = {
      getenv("VIRTUAL_ENV"),
      getenv("CONDA_PREFIX"),
      python_home(of_path, sizeof of_path) ? of_path : NULL,
      home != NULL && snprintf(own, sizeof own, "%s/.local", home) < (int)sizeof own ? own : NULL,
      "/usr/local",
      "/usr",
  };
  void *library = NULL;
  for (size_t i = 0; i < sizeof homes / sizeof *homes && library == NULL; i++)
    if (homes[i] != NULL && homes[i][0] == '/') library = open_below(homes[i], name, package, path, path_size);
  if (library == NULL) snprintf(why, why_size, "%s: no python3 has it in nvidia/%s/lib", name, package);
  return library;
}

const char *library_path_end(const char *path) {
  enum { MOST = 255 }; /* the longest text that gb_notef() accepts (gpubench/ext/note.h) */
  const size_t length = strlen(path);
  return length > MOST ? path + length - MOST : path;
}

int library_find(void *library, const char *name, void *to, char *why, size_t why_size) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) {
    snprintf(why, why_size, "the library has no %s", name);
    return -1;
  }
  memcpy(to, &symbol, sizeof symbol);
  return 0;
}

void library_close(void *library) {
  if (library != NULL) dlclose(library);
}

/* Saves the handlers of all signals. sigaction() fails for the two signals that the C library reserves; their entries
 * stay zero. */
void library_signals_keep(struct library_signals *kept) {
  memset(kept, 0, sizeof *kept);
  for (int number = 1; number < (int)(sizeof kept->actions / sizeof kept->actions[0]); number++)
    sigaction(number, NULL, &kept->actions[number]);
}

void library_signals_put_back(const struct library_signals *kept) {
  for (int number = 1; number < (int)(sizeof kept->actions / sizeof kept->actions[0]); number++)
    sigaction(number, &kept->actions[number], NULL);
}
