/* Names of the reasons why a case stopped. */
#include "model/message.h"

const char *stop_reason_name(enum stop_reason reason) {
  static const char *const names[] = {"", "precision", "case_time", "budget", "verify_only", "interrupted"};
  return (unsigned)reason < STOP_REASON_COUNT ? names[reason] : "?";
}
