#include "api.h"

#include <dlfcn.h>
#include <string.h>

struct python_api py;

static const char *find_symbol(const char *name, void *place, size_t size) {
  void *address = dlsym(RTLD_DEFAULT, name);
  memcpy(place, &address, size);
  return address != NULL ? NULL : name;
}

const char *python_api_open(void) {
  const char *missing = NULL;
#define FIND(type, name, arguments) \
  if (missing == NULL) missing = find_symbol(#name, &py.name, sizeof py.name);
  PYTHON_FUNCTIONS(FIND)
#undef FIND
  return missing;
}
