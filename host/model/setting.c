/* Parses values of settings (options of plugins): numbers, such as "16k", choices, ranges, or any text. */
#include "model/setting.h"

#include <string.h>

#include "base/memory.h"
#include "model/axis.h"

/* Parses one number or one choice, written like the value of an axis. */
static int parse_single(const struct setting_desc *desc, const char *text, const char *what, struct axis_value *single,
                        struct err *err) {
  SCOPED struct axis_desc *axis = xcalloc(1, sizeof *axis);
  SCOPED struct axis_value *values = NULL;
  size_t count = 0;
  axis->type = desc->type;
  text_copy(axis->name, sizeof axis->name, desc->name);
  text_copy(axis->choices, sizeof axis->choices, desc->choices);
  int rc = axis_expand(axis, text, false, what, &values, &count, err);
  if (rc == 0 && count != 1) rc = err_set(err, EXIT_USAGE, "%s: '%.80s' is %zu values, not one", what, text, count);
  if (rc == 0) *single = values[0];
  return rc;
}

static double axis_number(uint32_t type, const struct axis_value *value) {
  return type == AXIS_I64 ? (double)value->i64 : value->f64;
}

/* Checks the value against one end of a range such as "1:64". An empty end sets no limit. */
static int check_end(const struct setting_desc *desc, const char *end, bool upper, const struct axis_value *value,
                     const char *what, struct err *err) {
  struct axis_value limit;
  if (end[0] == '\0') return 0;
  if (parse_single(desc, end, what, &limit, err) != 0) return -1;
  double has = axis_number(desc->type, value), may = axis_number(desc->type, &limit);
  if (upper ? has <= may : has >= may) return 0;
  return err_set(err, EXIT_USAGE, "%s: %s is %s %s, the %s", what, value->str, upper ? "above" : "below", limit.str,
                 upper ? "most" : "least");
}

static int check_range(const struct setting_desc *desc, const struct axis_value *value, const char *what,
                       struct err *err) {
  char least[EXPR_SIZE];
  if (desc->choices[0] == '\0') return 0;
  text_copy(least, sizeof least, desc->choices);
  char *colon = strchr(least, ':');
  if (colon == NULL || strchr(colon + 1, ':') != NULL || (colon == least && colon[1] == '\0'))
    return err_set(err, EXIT_USAGE, "%s: '%.80s' is not a range: \"1:64\", either end may be missing", what, least);
  *colon = '\0';
  return check_end(desc, least, false, value, what, err) != 0 ? -1 : check_end(desc, colon + 1, true, value, what, err);
}

static int parse_setting_text(const char *text, const char *what, struct setting_value *value, struct err *err) {
  if (!text_copy(value->text, sizeof value->text, text))
    return err_set(err, EXIT_USAGE, "%s: %zu bytes, at most %d", what, strlen(text), SETTING_SIZE - 1);
  text_sanitize(value->text);
  if (strcmp(value->text, text) == 0) return 0;
  return err_set(err, EXIT_USAGE, "%s: control characters or bytes that are no UTF-8", what);
}

int setting_parse(const struct setting_desc *desc, const char *text, const char *what, struct setting_value *value,
                  struct err *err) {
  struct axis_value single;
  *value = (struct setting_value){0};
  if (desc->type == AXIS_STR && desc->choices[0] == '\0') return parse_setting_text(text, what, value, err);
  if (parse_single(desc, text, what, &single, err) != 0) return -1;
  if (desc->type != AXIS_STR && check_range(desc, &single, what, err) != 0) return -1;
  value->i64 = single.i64;
  value->f64 = single.f64;
  text_copy(value->text, sizeof value->text, single.str);
  return 0;
}

/* Terminates a text and makes it one printable line. */
#define END(text) ((text)[sizeof(text) - 1] = '\0', text_sanitize(text))

bool setting_check(struct setting_desc *desc) {
  END(desc->name), END(desc->unit), END(desc->summary), END(desc->choices), END(desc->value);
  return text_is_id(desc->name) && desc->type >= AXIS_I64 && desc->type <= AXIS_STR;
}
