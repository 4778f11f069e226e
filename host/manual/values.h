/* What can stand behind an option, as far as a shell may offer it. */
#ifndef MANUAL_VALUES_H
#define MANUAL_VALUES_H

#include <stddef.h>

#include "options/table.h"

enum { VALUES_SIZE = 256 };

/* The words of "wait|refuse|off", a space between them; "" where any text may stand. */
void values_words(const struct option_desc *desc, char to[VALUES_SIZE]);
/* Is it a file's name, or a directory's, a stored run among them? */
bool values_are_files(const struct option_desc *desc);

#endif
