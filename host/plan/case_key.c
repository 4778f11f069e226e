#include "plan/case_key.h"

#include <stdio.h>
#include <string.h>

static bool append_values(const struct point *point, char separator, char *to, size_t size) {
  size_t used = 0;
  to[0] = '\0';
  for (uint32_t i = 0; i < point->count; i++) {
    char value[3 * ID_SIZE];
    text_percent_encode(value, sizeof value, point->values[i].str, ",;=[] ");
    char comma[2] = {i > 0 ? separator : '\0', '\0'};
    int length = snprintf(to + used, size - used, "%s%s=%s", comma, point->values[i].name, value);
    if (length < 0 || (size_t)length >= size - used) return false;
    used += (size_t)length;
  }
  return true;
}

bool case_key(const char *id, const struct point *point, char *to, size_t size) {
  size_t length = strlen(id);
  if (length + 3 > size) return false;
  memcpy(to, id, length + 1);
  if (point->count == 0) return true;
  to[length] = '[';
  if (!append_values(point, ',', to + length + 1, size - length - 2)) return false;
  strcat(to, "]");
  return true;
}

void point_text(const struct point *point, char *to, size_t size) {
  append_values(point, ';', to, size);
}
