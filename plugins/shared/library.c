/* Vendors' libraries by name. */
#include "library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loader takes an empty or relative part of LD_LIBRARY_PATH as below the current directory. */
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

static void *open_file(const char *file, char *path, size_t path_size) {
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
  void *library = loader_is_safe() ? open_file(name, path, path_size) : NULL;
  if (library != NULL) return library;
  const char *reason = loader_is_safe() ? dlerror() : "LD_LIBRARY_PATH has a part that is not absolute";
  snprintf(why, why_size, "%s: %s", name, reason == NULL ? "not found" : reason);
  for (; *folders != NULL; folders++) {
    if ((*folders)[0] != '/' || snprintf(file, sizeof file, "%s/%s", *folders, name) >= (int)sizeof file) continue;
    library = open_file(file, path, path_size);
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
