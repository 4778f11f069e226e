#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

int64_t clock_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void clock_pause(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
  nanosleep(&time, NULL);
}

double clock_unix_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t ms = now.tv_nsec / 1000000;
  return ((double)now.tv_sec * 1000 + (double)ms) / 1000;
}

/* -1: it is set to nonsense; 0: not set. */
static int given_time(time_t *date) {
  const char *text = getenv("SOURCE_DATE_EPOCH");
  if (text == NULL) return 0;
  errno = 0;
  char *end = NULL;
  const long long seconds = strtoll(text, &end, 10);
  struct tm parts;
  *date = (time_t)seconds;
  const bool number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
  return number && gmtime_r(date, &parts) != NULL && parts.tm_year < 8100 ? 1 : -1;
}

void clock_date(const char *format, char *to, size_t size) {
  time_t date;
  struct tm parts;
  if (given_time(&date) != 1) date = time(NULL);
  to[0] = '\0';
  if (strftime(to, size, format, gmtime_r(&date, &parts)) == 0) to[0] = '\0';
}

int clock_check(struct err *err) {
  time_t date;
  if (given_time(&date) >= 0) return 0;
  return err_set(err, EXIT_USAGE, "SOURCE_DATE_EPOCH '%.80s' is not a number of seconds since 1970",
                 getenv("SOURCE_DATE_EPOCH"));
}
