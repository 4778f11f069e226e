#include "conditions.h"

#include <string.h>

#include "text.h"

static const struct {
  uint32_t bit;
  const char *text;
} causes[] = {
    {THROTTLE_POWER_CAP, "power cap"},
    {THROTTLE_HARDWARE, "hardware slowdown"},
    {THROTTLE_THERMAL, "thermal slowdown"},
    {THROTTLE_POWER_BRAKE, "power brake"},
};

void throttle_text(uint32_t bits, char *to, size_t size) {
  to[0] = '\0';
  for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
    if ((bits & causes[i].bit) == 0) continue;
    size_t used = strlen(to);
    text_copy(to + used, size - used, used > 0 ? "; " : "");
    used = strlen(to);
    text_copy(to + used, size - used, causes[i].text);
  }
}

uint32_t throttle_parse(const char *text) {
  uint32_t bits = 0;
  for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
    if (strstr(text, causes[i].text) != NULL) bits |= causes[i].bit;
  return bits;
}
