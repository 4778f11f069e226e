/* Parses the text with which a user selects values of an axis (a parameter of a bench), such as "1k:16k:x2". Makes case
 * keys (texts that identify a case) of the values, and parses the keys again. The input has three lines: the type of
 * the axis (i: integer, p: integer given as an exponent of two, f: float, s: text), the choices of an axis of type s,
 * and the text to parse. */
#include <math.h>

#include "base/memory.h"
#include "fuzz.h"
#include "model/axis.h"
#include "plan/expand.h"

static struct bench_desc bench = {.name = "bench", .axis_count = 1};

/* Stores the choices, without control characters. Stores none if they contain brackets, with which no plugin could
 * register them. */
static void take_choices(struct axis_desc *axis, const char *choices) {
  text_copy(axis->choices, sizeof axis->choices, choices);
  text_sanitize(axis->choices);
  if (strpbrk(axis->choices, "[]") != NULL) axis->choices[0] = '\0';
}

static void check_value(const struct axis_desc *axis, const struct axis_value *value) {
  MUST(value->type == axis->type && strcmp(value->name, axis->name) == 0);
  if (axis->type == AXIS_I64) MUST(strtoll(value->str, NULL, 10) == value->i64);
  if (axis->type == AXIS_F64) MUST(isfinite(value->f64) && strtod(value->str, NULL) == value->f64);
}

/* Checks that a key, parsed again, gives the same value. */
static void check_key(const struct axis_value *value) {
  struct point point = {.count = 1, .values = {*value}}, again;
  struct err err = {0};
  char key[KEY_SIZE];
  MUST(case_key("plugin/bench", &point, key, sizeof key) && fuzz_printable(key));
  char *inside = strchr(key, '[') + 1;
  MUST(inside[strlen(inside) - 1] == ']');
  inside[strlen(inside) - 1] = '\0';
  MUST(axis_point(&bench, inside, "key", &again, &err) == 0);
  MUST(again.count == 1 && memcmp(&again.values[0], value, sizeof *value) == 0);
}

static void expand(const struct axis_desc *axis, const char *expression, bool pow2) {
  struct axis_value *values;
  size_t count;
  struct err err = {0};
  char unknown[EXPR_SIZE];
  bool strange = axis_unknown_item(axis, expression, unknown, sizeof unknown);
  if (axis_expand(axis, expression, pow2, "what", &values, &count, &err) != 0) {
    MUST(values == NULL && count == 0 && err.exit_code == EXIT_USAGE);
    return;
  }
  MUST(count >= 1 && count <= AXIS_VALUES_MAX && !strange);
  for (size_t i = 0; i < count; i++)
    check_value(axis, &values[i]);
  check_key(&values[0]);
  check_key(&values[count - 1]);
  free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = xcalloc(size + 1, 1), *rest = text;
  memcpy(text, data, size);
  const char *kind = strsep(&rest, "\n"), *choices = rest != NULL ? strsep(&rest, "\n") : "";
  const char *expression = rest != NULL ? rest : "";
  struct axis_desc *axis = &bench.axes[0];
  *axis = (struct axis_desc){.name = "x"};
  axis->type = kind[0] == 'f' ? AXIS_F64 : kind[0] == 's' ? AXIS_STR : AXIS_I64;
  take_choices(axis, choices);
  expand(axis, expression, kind[0] == 'p');
  struct point point;
  struct err err = {0};
  axis_point(&bench, expression, "point", &point, &err);
  free(text);
  return 0;
}
