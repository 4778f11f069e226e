#include "plugin/process_finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void process_finding_add(struct process_state_finding *finding, enum process_state_harm harm, const char *format, ...) {
  size_t used = strlen(finding->text);
  if (used > 0 && used + 2 < sizeof finding->text) used += (size_t)sprintf(finding->text + used, ", ");
  va_list args;
  va_start(args, format);
  vsnprintf(finding->text + used, sizeof finding->text - used, format, args);
  va_end(args);
  if (harm > finding->harm) finding->harm = harm;
}
