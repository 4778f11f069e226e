/* What became of a variant in a case: one list for messages, rows and reports. */
#ifndef MODEL_ROW_STATUS_H
#define MODEL_ROW_STATUS_H

#include <stdbool.h>

enum row_status {
  ROW_NOT_RUN,
  ROW_OK,
  ROW_WRONG,
  ROW_SKIPPED,
  ROW_CRASHED,
  ROW_TIMEOUT,
  ROW_ERROR,
  ROW_UNKNOWN, /* only ever read: a word of a newer schema, or none */
  ROW_STATUS_COUNT,
};

const char *row_status_name(enum row_status status);  /* "timeout": in results.csv */
const char *row_status_words(enum row_status status); /* "timed out": for people */
/* Of a name, which may be NULL. */
enum row_status row_status_parse(const char *name);
/* Neither ok nor skipped: makes the run fail. */
bool row_status_failed(enum row_status status);

#endif
