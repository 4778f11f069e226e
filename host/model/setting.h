/* Values of settings, as users give them and as workers send them. The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "model/model.h"

/* Parses a value given for the setting. Fails with exit 2 and says what does not fit; `what` names the place for
 * messages. */
int setting_parse(const struct setting_desc *desc, const char *text, const char *what, struct setting_value *value,
                  struct err *err);

/* Checks a description that came from a process with foreign code: terminates its texts and makes them printable.
 * Returns false if it is not a valid setting. */
bool setting_check(struct setting_desc *desc);
