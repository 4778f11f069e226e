/* How the measurement of a variant in a case ended. Messages, stored rows and reports use the same statuses. */
#pragma once

#include <stdbool.h>

enum row_status {
  ROW_NOT_RUN,
  ROW_OK,
  ROW_WRONG,
  ROW_SKIPPED,
  ROW_CRASHED,
  ROW_TIMEOUT,
  ROW_ERROR,
  ROW_UNKNOWN, /* only of rows read from files: the file has no status, or one that this version does not know */
  ROW_STATUS_COUNT,
};

const char *row_status_name(enum row_status status);  /* "timeout": as in results.csv */
const char *row_status_words(enum row_status status); /* "timed out": as shown to people */
/* Returns the status of a name; NULL and unknown names give ROW_UNKNOWN. */
enum row_status row_status_parse(const char *name);
/* Returns true if the status is neither ok nor skipped and thus makes the run fail. */
bool row_status_failed(enum row_status status);
