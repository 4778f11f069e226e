/* Long lines on a terminal: they go on in the next, and no word is broken. Pure. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stdio.h>

/* Prints lines of no more than `width` columns, as far as their words allow; 0: as they are. What is behind a label
 * goes on below itself. */
void wrap_print(FILE *out, const char *text, int width);

/* One paragraph, beginning and going on in the column `indent`: the caller has come there. */
void wrap_paragraph(FILE *out, const char *text, int width, int indent);

#endif
