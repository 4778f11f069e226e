/* Strict: what is taken for a time has one place among the others by strcmp(). */
#include "history/start.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

enum { DAY_S = 24 * 3600 };         /* as far as clocks that show local time are ahead of UTC */
static const char first[] = "2020"; /* no night is as old; machines that lost their clock begin at 1970 or 2000 */

static bool parse(const char *text, int64_t *seconds) {
  struct tm parts = {0};
  char again[64] = "";
  const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == NULL || *end != '\0') return false;
  const time_t time = timegm(&parts);
  *seconds = (int64_t)time;
  return strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 && strcmp(again, text) == 0;
}

bool history_start_is_possible(const char *started, int64_t now, char *why, size_t size) {
  int64_t seconds;
  char shown[64];
  text_copy(shown, sizeof shown, started);
  text_sanitize(shown);
  const bool is_time = parse(started, &seconds);
  if (started[0] == '\0')
    snprintf(why, size, "it does not say when it began");
  else if (!is_time)
    snprintf(why, size, "it began at '%s', which is no time", shown);
  else if (seconds > now + DAY_S)
    snprintf(why, size, "it began at %s, which is in the future by this machine's clock", shown);
  else if (strcmp(started, first) < 0)
    snprintf(why, size, "it began at %s, as on a machine that has lost its clock", shown);
  else
    return true;
  return false;
}
