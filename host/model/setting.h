/* Values of settings (options of plugins), as users give them and as workers send them. The functions do no I/O and use
 * no global state. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "model/model.h"

/* Parses a value that the user gave for the setting. An invalid value is an error with exit code 2 and the reason.
 * `what` says in messages where the value comes from. */
int setting_parse(const struct setting_desc *desc, const char *text, const char *what, struct setting_value *value,
                  struct err *err);

/* Checks a description that came from a process with foreign code: terminates its texts and makes them printable.
 * Returns false if it is not a valid setting. */
bool setting_check(struct setting_desc *desc);
