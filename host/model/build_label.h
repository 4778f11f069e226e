/* Labels of builds: "old=/tmp/a.so", as typed where a plugin is named. What stands before the first '=' is a label only
 * if it is a name without '/'; all else is a file, "./a=b.so" too. Pure. */
#ifndef MODEL_BUILD_LABEL_H
#define MODEL_BUILD_LABEL_H

#include "base/text.h"

enum { LABELLED_SIZE = 4096 + ID_SIZE }; /* of a label and a path */

/* The file; its label goes to `label`, "" where there is none. */
const char *label_split(const char *typed, char label[ID_SIZE]);
/* "LABEL=FILE", or the file alone. */
void label_join(char *to, size_t size, const char *label, const char *file);
/* "NAME@LABEL": what is shown of a build; the name alone where there is no label. */
void label_show(char *to, size_t size, const char *name, const char *label);

#endif
