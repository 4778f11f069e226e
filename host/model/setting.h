/* Settings: what a plugin calls options, gb.option/1. One value each for a run. Pure. */
#ifndef MODEL_SETTING_H
#define MODEL_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum { SETTINGS_MAX = 32, SETTING_SIZE = 4096 };

struct setting_desc {
  uint32_t type; /* enum axis_type */
  uint32_t reserved;
  char name[ID_SIZE], unit[TEXT_SIZE], summary[TEXT_SIZE];
  char choices[EXPR_SIZE]; /* "read,mmap"; of numbers the ends of a range, "1:64"; empty: any */
  char value[EXPR_SIZE];   /* the default, as it was written */
};

struct setting_value {
  int64_t i64;
  double f64;
  char text[SETTING_SIZE]; /* of numbers in one spelling */
};

/* Reads a value that was given for it. Exit 2 with what does not fit; `what` names the place for messages. */
int setting_parse(const struct setting_desc *desc, const char *text, const char *what, struct setting_value *value,
                  struct err *err);

/* What arrives from a process that runs foreign code: texts are ended and made printable; false where it is no setting.
 */
bool setting_check(struct setting_desc *desc);

#endif
