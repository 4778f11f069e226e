/* Prints aligned columns of text on a terminal. Knows nothing of their content. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum grid_align {
  GRID_LEFT,
  GRID_SENTENCE, /* left-aligned; a long text is cut before other columns are dropped */
  GRID_RIGHT,
  GRID_POINT /* numbers, aligned at their decimal points */
};
enum grid_style { GRID_PLAIN, GRID_BOLD, GRID_BLUE, GRID_ORANGE, GRID_FAINT };

/* the largest number of columns of a table, and the largest width of one column in characters; longer texts are cut */
enum { GRID_COLUMNS_MAX = 40, GRID_CELL_MAX = 48 };

struct grid_cell {
  char *text;
  enum grid_style style;
};

struct grid {
  size_t columns, rows;
  struct {
    enum grid_align align;
    /* if the table is too wide, the columns with the highest number are dropped first, and columns with equal numbers
     * are dropped together; from 1 to 9; 0: the column is never dropped */
    int drop;
  } column[GRID_COLUMNS_MAX];
  struct grid_cell *cells; /* the cells of all rows, GRID_COLUMNS_MAX for each row */
};

/* Adds a column and returns its number, from 1. If there are too many columns already, returns the number of the last
 * one. */
size_t grid_column(struct grid *grid, enum grid_align align, int drop);
void grid_row(struct grid *grid);
/* Sets a cell of the last row. Does nothing if `column` is 0, so a caller may leave a column out of a table by keeping
 * 0 as its number. */
void grid_set(struct grid *grid, size_t column, enum grid_style style, const char *format, ...) ERR_PRINTF(4, 5);
/* Prints and frees the grid. Returns the width of its widest line. Lines are truncated at `width`, between words if
 * possible. A cell that begins with '\t' extends to the end of its line, and its width does not count for its
 * column. */
size_t grid_print(struct grid *grid, FILE *out, size_t width, bool color, bool utf8);

/* Prints a text in a style. Without `color` prints it plainly. */
void grid_styled(FILE *out, enum grid_style style, bool color, const char *text);
/* Returns how many columns of a terminal the UTF-8 text takes: one per code point. */
size_t grid_text_width(const char *text);

/* Prints a text in lines of at most `width` columns. A single word that is longer is not broken. With `width` 0 prints
 * the text unchanged. If a line begins with a label, its further lines are indented to the text after the label. */
void wrap_print(FILE *out, const char *text, int width);

/* Prints one paragraph, wrapped. Its lines begin at column `indent`; the caller has already moved to that column for
 * the first line. */
void wrap_paragraph(FILE *out, const char *text, int width, int indent);
