/* The names of statuses. */
#include "model/row_status.h"

#include <stddef.h>
#include <string.h>

static const struct {
  const char *name, *words;
} statuses[ROW_STATUS_COUNT] = {
    [ROW_NOT_RUN] = {"not_run", "not run"}, [ROW_OK] = {"ok", "ok"},
    [ROW_WRONG] = {"wrong", "wrong"},       [ROW_SKIPPED] = {"skipped", "skipped"},
    [ROW_CRASHED] = {"crashed", "crashed"}, [ROW_TIMEOUT] = {"timeout", "timed out"},
    [ROW_ERROR] = {"error", "error"},       [ROW_UNKNOWN] = {"unknown", "unknown status"},
};

const char *row_status_name(enum row_status status) {
  return (unsigned)status < ROW_STATUS_COUNT ? statuses[status].name : "?";
}

const char *row_status_words(enum row_status status) {
  return statuses[status].words;
}

enum row_status row_status_parse(const char *name) {
  enum row_status status = ROW_NOT_RUN;
  while (status != ROW_UNKNOWN && (name == NULL || strcmp(name, statuses[status].name) != 0))
    status++;
  return status;
}

bool row_status_failed(enum row_status status) {
  return status != ROW_OK && status != ROW_SKIPPED;
}
