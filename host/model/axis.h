/* Axis expressions: texts that list the values of an axis, that is a parameter of a bench. Examples: "64,128",
 * "1k:16k:x2", "0:100:10", "NAME[pow2]=[10:20:2]". One parser serves plugins' defaults, presets, suites and the command
 * line. The functions do no I/O and use no global state. */
#pragma once

#include "base/err.h"
#include "model/model.h"

/* Expands `expression` for `axis` into 1 to AXIS_VALUES_MAX values. With `pow2`, integers are exponents of two. The
 * caller frees `*values`. `what` says in messages where the expression comes from: "-a dtype=bf61", "bench 'x', axis
 * 'm'". */
int axis_expand(const struct axis_desc *axis, const char *expression, bool pow2, const char *what,
                struct axis_value **values, size_t *count, struct err *err);

const char *axis_type_name(uint32_t type); /* returns "i64" and the like */

/* Returns the default expression of an axis on a backend. */
const char *axis_default(const struct axis_desc *axis, const char *backend);

/* Finds the first item of the expression that is not one of the choices of a text axis (AXIS_STR), and copies it to
 * `item`. Returns false if all items are choices. */
bool axis_unknown_item(const struct axis_desc *axis, const char *expression, char *item, size_t size);

/* Returns how many devices a case of the bench works on: the value of its devices_axis, or 1 if it has none. */
int64_t axis_devices(const struct bench_desc *bench, const struct point *point);

/* Parses a text such as "b=2,h=32" into axis values of the bench, in the bench's order; the point has no values for
 * axes that the text does not name. Each name must be an axis of the bench, and each value a single one, not a list or
 * a range. Percent-encoding in values is decoded. */
int axis_point(const struct bench_desc *bench, const char *text, const char *what, struct point *point,
               struct err *err);
