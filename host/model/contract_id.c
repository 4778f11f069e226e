#include "model/contract_id.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Most digits of a major: every such number fits a uint32_t. */
enum { MAJOR_DIGITS = 9 };

/* Checks one part of the id, `length` bytes without a '/'. */
static bool check_part(const char *part, size_t length, char *fault, size_t size) {
  char own[CONTRACT_SIZE];
  text_copy(own, length + 1, part);
  if (text_is_id(own)) return true;
  text_sanitize(own);
  if (length == 0)
    snprintf(fault, size, "a part is empty");
  else
    snprintf(fault, size, "'%s' is not a valid name", own);
  return false;
}

static bool check_major(const char *major, char *fault, size_t size) {
  char shown[CONTRACT_SIZE];
  const size_t digits = strspn(major, "0123456789");
  if (major[0] != '0' && digits > 0 && digits <= MAJOR_DIGITS && major[digits] == '\0') return true;
  text_copy(shown, sizeof shown, major);
  text_sanitize(shown);
  snprintf(fault, size, "it ends in '%s', not in its major, a number from 1 to 999999999 without a leading 0", shown);
  return false;
}

bool contract_id_check(const char *id, char *fault, size_t size) {
  const size_t length = strlen(id);
  const char *major = strrchr(id, '/');
  size_t parts = 1;
  if (length >= CONTRACT_SIZE) {
    snprintf(fault, size, "it has %zu bytes, at most %d", length, CONTRACT_SIZE - 1);
    return false;
  }
  for (const char *at = id; (at = strchr(at, '/')) != NULL; at++)
    parts++;
  for (const char *part = id; part != NULL && (major == NULL || part != major + 1);) {
    const size_t part_length = strcspn(part, "/");
    if (!check_part(part, part_length, fault, size)) return false;
    part = part[part_length] == '/' ? part + part_length + 1 : NULL;
  }
  if (major == NULL || parts < 3) {
    snprintf(fault, size, "it has %zu part%s, at least 3", parts, parts == 1 ? "" : "s");
    return false;
  }
  return check_major(major + 1, fault, size);
}
