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

void *matmul_library_open(const char *name, const char *const *folders, char *path, size_t path_size, char *why,
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

int matmul_library_find(void *library, const char *name, void *to, char *why, size_t why_size) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) {
    snprintf(why, why_size, "the library has no %s", name);
    return -1;
  }
  memcpy(to, &symbol, sizeof symbol);
  return 0;
}

void matmul_library_close(void *library) {
  if (library != NULL) dlclose(library);
}
