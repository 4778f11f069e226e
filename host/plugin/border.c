#include "plugin/border.h"

#include <string.h>

#include "base/text.h"
#include "model/rule.h"

/* Larger tables there are none; a size that was never set is not read along. */
enum { STRUCT_MOST = 1 << 16 };

int border_copy(void *own, size_t own_size, size_t least, const void *theirs, uint32_t theirs_size, const char *what,
                struct err *err) {
  if (theirs_size < least)
    return err_set(err, EXIT_FAILED, "%s: struct_size is %u, ABI 1.0 has %zu", what, theirs_size, least);
  if (theirs_size > STRUCT_MOST)
    return err_set(err, EXIT_FAILED, "%s: struct_size is %u, at most %d", what, theirs_size, STRUCT_MOST);
  memcpy(own, theirs, theirs_size < own_size ? theirs_size : own_size);
  const unsigned char *bytes = theirs;
  for (size_t i = own_size; i < theirs_size; i++)
    if (bytes[i] != 0) {
      err_set(err, EXIT_FAILED, "%s: built for a newer ABI: byte %zu of %u is not zero, this host knows %zu bytes",
              what, i, theirs_size, own_size);
      return ABI_NEWER;
    }
  return 0;
}

int border_copy_sized(void *own, size_t own_size, size_t least, const void *theirs, const char *what, struct err *err) {
  uint32_t theirs_size;
  memset(own, 0, own_size);
  if (theirs == NULL) return err_set(err, EXIT_FAILED, "%s is NULL", what);
  memcpy(&theirs_size, theirs, sizeof theirs_size);
  return border_copy(own, own_size, least, theirs, theirs_size, what, err);
}

int border_reserved(uint32_t reserved, const char *what, struct err *err) {
  return reserved == 0 ? 0 : err_set(err, EXIT_FAILED, "%s: reserved is %u, must be 0", what, reserved);
}

int border_id(char *to, const char *from, const char *what, struct err *err) {
  if (from == NULL || from[0] == '\0') {
    err_set(err, EXIT_FAILED, "%s is empty", what);
    return err_about(err, RULE_NAMES);
  }
  if (!text_is_id(from)) {
    char shown[2 * ID_SIZE];
    text_copy(shown, sizeof shown, from);
    text_sanitize(shown);
    err_set(err, EXIT_FAILED, "%s '%s' is not a valid name: [A-Za-z0-9][A-Za-z0-9._/-]*, at most %d bytes", what, shown,
            ID_SIZE - 1);
    return err_about(err, RULE_NAMES);
  }
  text_copy(to, ID_SIZE, from);
  return 0;
}

int border_text(char *to, size_t size, const char *from, const char *what, struct err *err) {
  if (!text_copy(to, size, from)) return err_set(err, EXIT_FAILED, "%s has more than %zu bytes", what, size - 1);
  text_sanitize(to);
  return 0;
}
