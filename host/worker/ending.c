/* Describes and classifies how requests to workers ended. */
#include "worker/ending.h"

#include <stdio.h>

void ending_text(const struct ending *ending, char *to, size_t size) {
  snprintf(to, size, "%s in %s%s%s", ending->how, phase_name(ending->phase), ending->tail[0] ? ": " : "", ending->tail);
}

bool ending_is_early(const struct ending *ending) {
  return (ending->kind == ENDING_DIED || ending->kind == ENDING_TIMEOUT) && !ending->heard &&
         ending->phase == PHASE_IDLE && ending->variant < 0;
}

bool ending_lost_device(const struct ending *ending) {
  return ending->kind == ENDING_FAILED && ending->err.exit_code == EXIT_DEVICE;
}
