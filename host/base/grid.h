/* Aligned columns of text for a terminal. Knows nothing of what is in them. */
#ifndef BASE_GRID_H
#define BASE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum grid_align {
  GRID_LEFT,
  GRID_SENTENCE, /* left; a long one is cut before other columns go */
  GRID_RIGHT,
  GRID_POINT /* decimal points under each other */
};
enum grid_style { GRID_PLAIN, GRID_BOLD, GRID_BLUE, GRID_ORANGE, GRID_FAINT };

enum { GRID_COLUMNS_MAX = 40, GRID_CELL_MAX = 48 /* longer text is cut */ };

struct grid_cell {
  char *text;
  enum grid_style style;
};

struct grid {
  size_t columns, rows;
  struct {
    enum grid_align align;
    int drop; /* 0: never; up to 9: where the width is short, the highest go first, equal ones together */
  } column[GRID_COLUMNS_MAX];
  struct grid_cell *cells; /* rows x GRID_COLUMNS_MAX */
};

/* Returns the column's number, from 1 on, or the last one's when there are too many. */
size_t grid_column(struct grid *grid, enum grid_align align, int drop);
void grid_row(struct grid *grid);
/* Sets a cell of the last row; nothing in column 0: one that the table does not have. */
void grid_set(struct grid *grid, size_t column, enum grid_style style, const char *format, ...) ERR_PRINTF(4, 5);
/* Prints and frees. Returns the width of the widest line. Lines are cut at `width`, between words where that
 * leaves any. A cell beginning with '\t' runs to
 * the end of its line and does not count for its column's width. */
size_t grid_print(struct grid *grid, FILE *out, size_t width, bool color, bool utf8);

/* Text in a style; plain without colour. */
void grid_styled(FILE *out, enum grid_style style, bool color, const char *text);
/* Columns that UTF-8 text takes: one per code point. */
size_t grid_text_width(const char *text);

/* Prints lines of no more than `width` columns, as far as their words allow; 0: as they are. What is behind a label
 * goes on below itself. */
void wrap_print(FILE *out, const char *text, int width);

/* One paragraph, beginning and going on in the column `indent`: the caller has come there. */
void wrap_paragraph(FILE *out, const char *text, int width, int indent);

#endif
