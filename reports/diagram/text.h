/* Text into the lines of a box. Bounded: what is long is cut and ends in an ellipsis. */
#ifndef DIAGRAM_TEXT_H
#define DIAGRAM_TEXT_H

#include <stddef.h>
#include "base/text.h"

/* Columns, and how many lines. */
enum { DIAGRAM_TITLE_MOST = 30, DIAGRAM_LINE_MOST = 34, DIAGRAM_LABEL_MOST = 22, DIAGRAM_LINES_MOST = 3 };

/* At most DIAGRAM_LINES_MOST lines of `most` columns, broken at spaces where there are any. */
void diagram_wrap(struct strings *lines, const char *text, size_t most);
/* Columns: one per code point, two for those of Asia. */
size_t diagram_columns(const char *text);

#endif
