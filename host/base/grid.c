/* Lays out and prints columns on a terminal. */
#include "base/grid.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/text.h"

size_t grid_column(struct grid *grid, enum grid_align align, int drop) {
  if (grid->columns == GRID_COLUMNS_MAX) return GRID_COLUMNS_MAX;
  grid->column[grid->columns].align = align;
  grid->column[grid->columns].drop = drop;
  return ++grid->columns;
}

void grid_row(struct grid *grid) {
  grid->cells = xgrow(grid->cells, grid->rows, GRID_COLUMNS_MAX * sizeof *grid->cells);
  memset(grid->cells + grid->rows++ * GRID_COLUMNS_MAX, 0, GRID_COLUMNS_MAX * sizeof *grid->cells);
}

static struct grid_cell *cell_at(const struct grid *grid, size_t row, size_t column) {
  return &grid->cells[row * GRID_COLUMNS_MAX + column];
}

void grid_set(struct grid *grid, size_t column, enum grid_style style, const char *format, ...) {
  if (column == 0 || column > GRID_COLUMNS_MAX) return;
  struct grid_cell *cell = cell_at(grid, grid->rows - 1, column - 1);
  char text[MSG_SIZE * 2];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  free(cell->text);
  cell->text = xstrdup(text);
  cell->style = style;
}

size_t grid_text_width(const char *text) {
  size_t width = 0;
  for (; *text != '\0'; text++)
    width += ((unsigned char)*text & 0xC0) != 0x80;
  return width;
}

/* Returns the width of the text before its decimal point. If the text has no point, returns the width of its leading
 * digits, after which the point would be. */
static size_t before_point(const char *text) {
  size_t digits = strcspn(text, ".");
  if (text[digits] == '.') return grid_text_width(text) - grid_text_width(text + digits);
  return grid_text_width(text) - strspn(text + strcspn(text, "x%"), "x%");
}

/* NARROWEST: the least width of a column of text. SENTENCE: if a table is too wide, its columns of sentences are first
 * narrowed to this width, at which they are still readable; only then are other columns dropped. */
enum { DROP_MOST = 9, NARROWEST = 12, SENTENCE = 24 };

struct layout {
  size_t width[GRID_COLUMNS_MAX], before[GRID_COLUMNS_MAX];
  bool dropped[GRID_COLUMNS_MAX];
  size_t gap;
};

static void measure_cell(const struct grid *grid, struct layout *layout, size_t row, size_t column, size_t *after) {
  const char *text = cell_at(grid, row, column)->text;
  if (text == NULL || text[0] == '\t') return;
  size_t width = grid_text_width(text), before = before_point(text);
  if (width > GRID_CELL_MAX) width = GRID_CELL_MAX;
  if (before > width) before = width;
  if (width > layout->width[column]) layout->width[column] = width;
  if (row == 0) return; /* the first row has the headings, which are not numbers */
  if (before > layout->before[column]) layout->before[column] = before;
  if (width - before > *after) *after = width - before;
}

static void measure_columns(const struct grid *grid, struct layout *layout) {
  for (size_t column = 0; column < grid->columns; column++) {
    size_t after = 0;
    for (size_t row = 0; row < grid->rows; row++)
      measure_cell(grid, layout, row, column, &after);
    if (grid->column[column].align != GRID_POINT) continue;
    if (layout->before[column] + after > layout->width[column]) layout->width[column] = layout->before[column] + after;
    layout->before[column] = layout->width[column] - after;
  }
}

static bool is_text(const struct grid *grid, size_t column) {
  return grid->column[column].align == GRID_LEFT || grid->column[column].align == GRID_SENTENCE;
}

static size_t width_with(const struct grid *grid, const struct layout *layout, size_t longest) {
  size_t total = 0;
  for (size_t i = 0; i < grid->columns; i++) {
    const size_t width = layout->width[i], most = grid->column[i].align == GRID_SENTENCE ? longest : width;
    if (!layout->dropped[i] && width != 0) total += (width < most ? width : most) + (total ? layout->gap : 0);
  }
  return total;
}

static size_t total_width(const struct grid *grid, const struct layout *layout) {
  return width_with(grid, layout, SIZE_MAX);
}

static size_t least_width(const struct grid *grid, const struct layout *layout) {
  return width_with(grid, layout, SENTENCE);
}

/* Drops the columns with the highest `drop` number (the least important ones) that remain. Returns false if no column
 * may be dropped. */
static bool drop_some(const struct grid *grid, struct layout *layout) {
  int worst = 0;
  for (size_t i = 0; i < grid->columns; i++)
    if (!layout->dropped[i] && grid->column[i].drop > worst) worst = grid->column[i].drop;
  for (size_t i = 0; i < grid->columns; i++)
    if (worst != 0 && grid->column[i].drop == worst) layout->dropped[i] = true;
  return worst != 0;
}

/* Makes the widest columns of text narrower until the table fits into `width`, because otherwise the columns at its
 * right end would be cut. */
static void narrow_some(const struct grid *grid, struct layout *layout, size_t width) {
  for (size_t total; (total = total_width(grid, layout)) > width;) {
    size_t widest = 0;
    for (size_t i = 1; i < grid->columns; i++)
      if (!layout->dropped[i] && is_text(grid, i) &&
          (!is_text(grid, widest) || layout->width[i] > layout->width[widest]))
        widest = i;
    if (!is_text(grid, widest) || layout->width[widest] <= NARROWEST) return;
    const size_t excess = total - width, most = layout->width[widest] - NARROWEST;
    layout->width[widest] -= excess < most ? excess : most;
  }
}

/* Restores dropped columns for which there is room after all, the most important first. */
static void restore_some(const struct grid *grid, struct layout *layout, size_t width) {
  for (int drop = 1; drop <= DROP_MOST; drop++) {
    struct layout wider = *layout;
    for (size_t i = 0; i < grid->columns; i++)
      wider.dropped[i] = wider.dropped[i] && grid->column[i].drop != drop;
    if (least_width(grid, &wider) <= width) *layout = wider;
  }
}

/* Returns the offset in bytes at which to cut the text so that at most `room` terminal columns remain; between words if
 * possible. */
static size_t cut_at(const char *text, size_t room) {
  size_t bytes = 0, word = 0;
  for (size_t taken = 0; text[bytes] != '\0'; bytes++) {
    if (((unsigned char)text[bytes] & 0xC0) != 0x80 && taken++ == room) break;
    if (text[bytes] == ' ') word = bytes;
  }
  return word > 0 && text[bytes] != ' ' ? word : bytes;
}

/* Prints at most `room` columns of the cell's text. Returns how many columns were printed. */
static size_t print_clipped(FILE *out, const struct grid_cell *cell, const char *text, size_t room, bool color) {
  size_t width = grid_text_width(text);
  if (width <= room) {
    grid_styled(out, cell->style, color, text);
    return width;
  }
  if (room < 4) return 0;
  SCOPED char *cut = xstrdup(text);
  cut[cut_at(text, room - 3)] = '\0';
  width = grid_text_width(cut);
  grid_styled(out, cell->style, color, cut);
  fputs("...", out);
  return width + 3;
}

static size_t cell_indent(const struct grid *grid, const struct layout *layout, size_t row, size_t column,
                          const char *text) {
  size_t width = grid_text_width(text);
  if (is_text(grid, column)) return 0;
  if (grid->column[column].align == GRID_POINT && row != 0) {
    size_t before = before_point(text);
    return layout->before[column] > before ? layout->before[column] - before : 0;
  }
  return layout->width[column] > width ? layout->width[column] - width : 0;
}

static void print_grid_row(const struct grid *grid, const struct layout *layout, size_t row, FILE *out, size_t limit,
                           bool color) {
  size_t at = 0, start = 0;
  for (size_t column = 0; column < grid->columns; column++) {
    if (layout->dropped[column] || layout->width[column] == 0) continue;
    const struct grid_cell *cell = cell_at(grid, row, column);
    const char *text = cell->text != NULL ? cell->text : "";
    bool span = text[0] == '\t';
    size_t want = start + (span ? 0 : cell_indent(grid, layout, row, column, text));
    text += span;
    if (text[0] != '\0') {
      if (want >= limit) break;
      fprintf(out, "%*s", (int)(want > at ? want - at : 0), "");
      size_t room = limit - want, own = start + layout->width[column] - want;
      at = want + print_clipped(out, cell, text, span || room < own ? room : own, color);
    }
    if (span) break;
    start += layout->width[column] + layout->gap;
  }
  fputc('\n', out);
}

size_t grid_print(struct grid *grid, FILE *out, size_t width, bool color, bool utf8) {
  struct layout layout = {.gap = 2};
  for (size_t i = 0; i < grid->rows * GRID_COLUMNS_MAX; i++)
    if (grid->cells[i].text != NULL) escape_terminal(grid->cells[i].text + (grid->cells[i].text[0] == '\t'), utf8);
  measure_columns(grid, &layout);
  if (total_width(grid, &layout) > width) layout.gap = 1;
  while (least_width(grid, &layout) > width && drop_some(grid, &layout))
    continue;
  restore_some(grid, &layout, width);
  narrow_some(grid, &layout, width);
  for (size_t row = 0; row < grid->rows; row++)
    print_grid_row(grid, &layout, row, out, width, color);
  for (size_t i = 0; i < grid->rows * GRID_COLUMNS_MAX; i++)
    free(grid->cells[i].text);
  free(grid->cells);
  *grid = (struct grid){0};
  return total_width(grid, &layout);
}

void grid_styled(FILE *out, enum grid_style style, bool color, const char *text) {
  /* Colours of the 256-colour table: a blue and an orange that are legible on black and on white. */
  static const char *const codes[] = {"", "\033[1m", "\033[38;5;33m", "\033[38;5;166m", "\033[2m"};
  if (color && style != GRID_PLAIN && text[0] != '\0')
    fprintf(out, "%s%s\033[0m", codes[style], text);
  else
    fputs(text, out);
}

/* ---- Wrapping lines ---- */

enum { LABEL = 12, INDENT = 2 };

/* Returns the length of the next character in bytes. Sets `*columns` to the terminal columns that it takes: 0 for an
 * escape sequence that sets a colour. */
static size_t step_character(const char *at, const char *end, size_t *columns) {
  size_t bytes = 1;
  *columns = *at != '\033';
  if (*at == '\033') {
    while (at + bytes < end && at[bytes - 1] != 'm')
      bytes++;
    return bytes;
  }
  while (at + bytes < end && ((unsigned char)at[bytes] & 0xC0) == 0x80)
    bytes++;
  return bytes;
}

/* Returns the column to which the second and further lines of a wrapped line are indented. If the line begins with a
 * label, as in "note        Runs with ...", that is the column of the text after the label, otherwise INDENT. */
static size_t indent_of(const char *line, size_t length) {
  const bool labelled = length > LABEL && line[LABEL - 1] == ' ' && line[LABEL] != ' ';
  return labelled ? LABEL : INDENT;
}

/* Returns where to break a line whose remaining text starts at `at`, in `column`: at the last space that lies after
 * column `least` and keeps the line within `width`. If no space does, at the next space after that, or at the end. */
static const char *break_of(const char *at, const char *end, size_t column, size_t least, size_t width) {
  const char *space = NULL;
  size_t columns;
  for (bool inside = false; at < end; at += step_character(at, end, &columns), column += columns) {
    if (column > width && space != NULL) return space;
    if (*at == ' ' && inside && column > least) space = at;
    inside = *at != ' ';
  }
  return column > width && space != NULL ? space : end;
}

static void print_from(FILE *out, const char *line, const char *end, size_t column, size_t indent, size_t width) {
  const char *stop = break_of(line, end, column, indent, width);
  fwrite(line, 1, (size_t)(stop - line), out);
  while (stop < end) {
    line = stop + strspn(stop, " ");
    if (line >= end) break;
    stop = break_of(line, end, indent, indent, width);
    fprintf(out, "\n%*s", (int)indent, "");
    fwrite(line, 1, (size_t)(stop - line), out);
  }
  fputc('\n', out);
}

void wrap_paragraph(FILE *out, const char *text, int width, int indent) {
  print_from(out, text, text + strlen(text), (size_t)indent, (size_t)indent, (size_t)width);
}

void wrap_print(FILE *out, const char *text, int width) {
  while (width > 0 && *text != '\0') {
    const char *end = text + strcspn(text, "\n");
    print_from(out, text, end, 0, indent_of(text, (size_t)(end - text)), (size_t)width);
    text = *end == '\0' ? end : end + 1;
  }
  fputs(text, out);
}
