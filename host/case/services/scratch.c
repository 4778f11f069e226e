/* gb.scratch/1: the folder of a case, made when it is first asked for. */
#include <stdlib.h>

#include "base/memory.h"
#include "case/calls.h"
#include "case/services/optional.h"

/* NULL with a message recorded where it cannot be had. */
static const char *path_of(gb_case *c, const char *slot) {
  struct err err = {0};
  char path[4096];
  bool early = c->phase == PHASE_SUPPORTS, late = c->phase == PHASE_RELEASE || c->phase == PHASE_TEARDOWN;
  if (c->phase == PHASE_RUN || early || (late && c->scratch_path == NULL)) {
    case_misuse(c, "gb.scratch/1 %s is for setup, prepare, before, reference and verify, not %s", slot,
                phase_name(c->phase));
    return NULL;
  }
  if (c->scratch_path != NULL) return c->scratch_path;
  if (c->scratch == NULL) {
    case_misuse(c, "gb.scratch/1 %s: there is none here", slot);
  } else if (scratch_make_case(c->scratch, path, sizeof path, &err) != 0) {
    case_message(c, err.text);
  } else {
    c->scratch_path = xstrdup(path);
  }
  return c->scratch_path;
}

static const char *scratch_directory(gb_case *c) {
  if (!case_is(c, "gb.scratch/1 directory")) return NULL;
  return path_of(c, "directory");
}

static uint64_t scratch_bytes(gb_case *c) {
  if (!case_is(c, "gb.scratch/1 free_bytes")) return 0;
  const char *path = path_of(c, "free_bytes");
  return path != NULL ? scratch_free_bytes(path) : 0;
}

const gb_scratch_ext services_scratch = {
    .struct_size = sizeof(gb_scratch_ext),
    .directory = scratch_directory,
    .free_bytes = scratch_bytes,
};
