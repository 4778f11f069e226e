/* Values of settings, as they are given and as they arrive. Pure. */
#ifndef MODEL_SETTING_H
#define MODEL_SETTING_H

#include <stdbool.h>

#include "base/err.h"
#include "model/model.h"

/* Reads a value that was given for it. Exit 2 with what does not fit; `what` names the place for messages. */
int setting_parse(const struct setting_desc *desc, const char *text, const char *what, struct setting_value *value,
                  struct err *err);

/* What arrives from a process that runs foreign code: texts are ended and made printable; false where it is no setting.
 */
bool setting_check(struct setting_desc *desc);

#endif
