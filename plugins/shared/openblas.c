/* Opens OpenBLAS by name. */
#include "openblas.h"

#include <stdio.h>

#include "library.h"

static int find_openblas(struct openblas *o, char *why, size_t size) {
  if (library_find(o->library, "cblas_sgemm", &o->sgemm, why, size) != 0) return -1;
  if (library_find(o->library, "openblas_set_num_threads", &o->set_threads, why, size) != 0) return -1;
  return library_find(o->library, "openblas_get_config", &o->config, why, size);
}

int openblas_open(struct openblas *o, char *why, size_t size) {
  static const char *const folders[] = {NULL};
  char reason[448] = "";
  o->library = library_open("libopenblas.so.0", folders, o->path, sizeof o->path, reason, sizeof reason);
  if (o->library != NULL && find_openblas(o, reason, sizeof reason) == 0) return 0;
  snprintf(why, size, "no OpenBLAS here (Debian: libopenblas0): %s", reason);
  return -1;
}

void openblas_close(struct openblas *o) {
  library_close(o->library);
  o->library = NULL;
}
