/* Names of what became of a variant and of why its case ended. */
#include "model/message.h"

const char *row_status_name(enum row_status status) {
  static const char *const names[] = {"not_run", "ok", "wrong", "skipped", "crashed", "timeout", "error"};
  return (unsigned)status < ROW_STATUS_COUNT ? names[status] : "?";
}

const char *stop_reason_name(enum stop_reason reason) {
  static const char *const names[] = {"", "precision", "case_time", "verify_only", "interrupted"};
  return (unsigned)reason < STOP_REASON_COUNT ? names[reason] : "?";
}
