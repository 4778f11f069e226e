/* Loads libnvidia-ml and finds its functions. If the driver lacks the newer name of a function, the older one is used;
 * if it lacks both, the pointer is NULL. */
#include "machine/nvml_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *older;
  size_t offset;
  bool required;
} symbols[] = {
#define NVML_SYMBOL(type, member, arguments, name, older, required) \
  {name, older, offsetof(struct nvml_library, member), required},
    NVML_FUNCTIONS(NVML_SYMBOL)};

static int find_nvml_symbols(void *handle, struct nvml_library *library, char *why, size_t size) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym(handle, symbols[i].name);
    if (symbol == NULL && symbols[i].older != NULL) symbol = dlsym(handle, symbols[i].older);
    if (symbol == NULL && symbols[i].required) {
      snprintf(why, size, "NVML: libnvidia-ml.so.1 has no %s", symbols[i].name);
      return -1;
    }
    memcpy((char *)library + symbols[i].offset, &symbol, sizeof symbol);
  }
  return 0;
}

/* Loads and starts the library once and never stops it, because starting takes tens of milliseconds, and more on a
 * machine with many GPUs. */
const struct nvml_library *nvml_library(char *why, size_t size) {
  static struct nvml_library library;
  static bool ready;
  struct nvml_library found = {0};
  if (ready) return &library;
  void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    snprintf(why, size, "NVML: %s", dlerror());
    return NULL;
  }
  if (find_nvml_symbols(handle, &found, why, size) != 0) return NULL;
  int code = found.init();
  if (code != NVML_OK) {
    snprintf(why, size, "NVML: %s", found.error_string(code));
    return NULL;
  }
  library = found;
  ready = true;
  return &library;
}
