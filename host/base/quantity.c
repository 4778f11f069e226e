/* Numbers as people write them. Knows units, not options. */
#include "base/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

size_t quantity_number(const char *text, double *value) {
  /* strtod() would also take "inf", "nan", hexadecimal and leading white space. */
  if (text[0] == '\0' || strchr("0123456789+-.", text[0]) == NULL) return 0;
  if (strspn(text, "+-") > 1 || strspn(text + strspn(text, "+-"), "0123456789.") == 0) return 0;
  if (strncasecmp(text + strspn(text, "+-"), "0x", 2) == 0) return 0;
  char *end = NULL;
  double number = strtod(text, &end);
  if (!isfinite(number)) return 0;
  *value = number;
  return (size_t)(end - text);
}

int quantity_time(const char *what, const char *text, double *seconds, struct err *err) {
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};
  double number = 0;
  size_t length = quantity_number(text, &number);
  for (size_t i = 0; length > 0 && i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(text + length, units[i].unit) != 0) continue;
    *seconds = number * units[i].seconds;
    if (*seconds >= 1e-3 && *seconds <= 7 * 24 * 3600.0) return 0;
    return err_set(err, EXIT_USAGE, "%s '%.64s' is out of range: 1ms to 168h", what, text);
  }
  return err_set(err, EXIT_USAGE, "%s '%.64s' is not a time; write 30, 30s, 2m or 500ms", what, text);
}

int quantity_share(const char *what, const char *text, double *share, struct err *err) {
  double number = 0;
  size_t length = quantity_number(text, &number);
  bool percent = length > 0 && strcmp(text + length, "%") == 0;
  if (length == 0 || (text[length] != '\0' && !percent))
    return err_set(err, EXIT_USAGE, "%s '%.64s' is not a share; write 0.5%% or 0.005", what, text);
  *share = percent ? number / 100 : number;
  if (*share >= 1e-5 && *share <= 0.2) return 0;
  return err_set(err, EXIT_USAGE, "%s '%.64s' is %g%%, out of range: 0.001%% to 20%%", what, text, *share * 100);
}

int quantity_precision(const char *what, const char *text, double *share, struct err *err) {
  double number = 1;
  if (quantity_number(text, &number) != strlen(text) || number != 0) return quantity_share(what, text, share, err);
  *share = 0;
  return 0;
}

int quantity_seed(const char *what, const char *text, uint64_t *seed, struct err *err) {
  char *end = NULL;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (strspn(text, "0123456789") != strlen(text) || text[0] == '\0')
    return err_set(err, EXIT_USAGE, "%s '%.64s' is not a whole number", what, text);
  if (errno == ERANGE) return err_set(err, EXIT_USAGE, "%s '%.64s' is out of range: 0 to 2^64 - 1", what, text);
  *seed = number;
  return 0;
}

int quantity_bytes(const char *what, const char *text, double *bytes, struct err *err) {
  static const struct {
    const char *name;
    double factor;
  } units[] = {{"", 1},     {"B", 1},     {"kB", 1e3},    {"KB", 1e3},      {"MB", 1e6},
               {"GB", 1e9}, {"TB", 1e12}, {"KiB", 1024},  {"MiB", 1048576}, {"GiB", 1073741824},
               {"k", 1024}, {"K", 1024},  {"M", 1048576}, {"G", 1073741824}};
  double number = 0;
  size_t length = quantity_number(text, &number);
  for (size_t i = 0; length > 0 && i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(text + length, units[i].name) != 0) continue;
    *bytes = number * units[i].factor;
    if (*bytes >= 0 && *bytes <= 1152921504606846976.0) return 0;
  }
  return err_set(err, EXIT_USAGE, "%s '%.64s' is not a size like 10MB, 1GiB or 4096, at most 1024 PiB", what, text);
}

int quantity_count(const char *what, const char *text, uint32_t most, uint32_t *count, struct err *err) {
  uint64_t value = 0;
  struct err ignored = {0};
  if (quantity_seed(what, text, &value, &ignored) != 0 || value < 1 || value > most)
    return err_set(err, EXIT_USAGE, "%s '%.64s' is not a whole number from 1 to %u", what, text, most);
  *count = (uint32_t)value;
  return 0;
}

int quantity_part(const char *what, const char *text, uint32_t most, uint32_t *number, uint32_t *of, struct err *err) {
  char first[16] = "";
  const size_t length = strcspn(text, "/");
  struct err ignored = {0};
  if (length < sizeof first) text_copy(first, length + 1, text);
  if (text[length] == '/' && quantity_count(what, text + length + 1, most, of, &ignored) == 0 &&
      quantity_count(what, first, *of, number, &ignored) == 0)
    return 0;
  return err_set(err, EXIT_USAGE, "%s '%.64s' is not I/N, with N from 1 to %u and I from 1 to N, such as 2/4", what,
                 text, most);
}
