/* Labels that tell two builds of a plugin apart: a user types "old=/tmp/a.so" to name the file and give it the label
 * "old". The text before the first '=' is a label only if it is an id without '/'; otherwise the whole text is a file,
 * as in "./a=b.so". The functions do no I/O and use no global state. */
#pragma once

#include "base/text.h"

enum { LABELLED_SIZE = 4096 + ID_SIZE }; /* room for a label and a path */

/* Returns the part of `typed` that names the file, and copies the label to `label`; "" if there is no label. */
const char *label_split(const char *typed, char label[ID_SIZE]);
/* Writes "LABEL=FILE", or the file alone if the label is empty. */
void label_join(char *to, size_t size, const char *label, const char *file);
/* Writes "NAME@LABEL", the name under which a build is shown, or the name alone if the label is empty. */
void label_show(char *to, size_t size, const char *name, const char *label);
