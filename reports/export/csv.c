/* Writes rows as CSV: as in results.csv, or with axes and metrics as columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "export/export.h"
#include "record/csv/csv.h"
#include "summary/extras.h"

int export_csv(const struct run_data *data, FILE *out, struct err *err) {
  int result = csv_write_header(out, err);
  for (size_t i = 0; i < data->count && result == 0; i++)
    result = csv_write_record(out, &data->records[i], err);
  return result;
}

/* ---- The wide form: the columns of results.csv, then a column for each axis and each metric ---- */

/* Names in order of appearance, and a map from name to index. */
struct columns {
  struct strings names;
  struct map places;
};

struct wide {
  FILE *out;
  const struct run_data *data;
  struct columns axes, metrics;
  const char **values; /* the row's value of each axis, by column; NULL: the row's bench has no such axis */
  double *figures;     /* the row's value of each metric, by column; NaN: the row has no such metric */
};

static size_t wide_column_of(struct columns *columns, const char *name) {
  const char *const key[] = {name};
  const size_t place = map_put(&columns->places, key, 1, columns->names.count);
  if (place == columns->names.count) strings_add(&columns->names, name);
  return place;
}

static void free_columns(struct columns *columns) {
  strings_free(&columns->names);
  map_free(&columns->places);
}

static bool is_axes(const struct record_field *field) {
  return field->offset == offsetof(struct record, axes);
}

static void collect_axes(struct wide *wide, const struct record *record) {
  struct pairs axes;
  row_axes(record, &axes);
  for (size_t i = 0; i < axes.count; i++)
    wide_column_of(&wide->axes, axes.items[i].name);
  pairs_free(&axes);
}

static void write_metric_columns(struct wide *wide, const struct record *record) {
  struct metrics_figure figure;
  for (size_t i = 0; i < wide->metrics.names.count; i++)
    wide->figures[i] = (double)NAN;
  for (size_t at = 0; metrics_next(wide->data, record, &at, &figure);)
    wide->figures[wide_column_of(&wide->metrics, figure.desc->name)] = figure.value;
  for (size_t i = 0; i < wide->metrics.names.count; i++)
    fprintf(wide->out, ",%s", isfinite(wide->figures[i]) ? number_shortest(wide->figures[i]).text : "");
}

static void write_wide_header(const struct wide *wide) {
  for (size_t i = 0; i < record_field_count; i++)
    if (!is_axes(&record_fields[i])) fprintf(wide->out, "%s%s", i != 0 ? "," : "", record_fields[i].name);
  for (size_t i = 0; i < wide->axes.names.count; i++) {
    SCOPED char *title = memory_print("axis.%s", wide->axes.names.items[i]);
    fputc(',', wide->out);
    csv_write_text(wide->out, title);
  }
  for (size_t i = 0; i < wide->metrics.names.count; i++) /* names of metrics need no quotes */
    fprintf(wide->out, ",metric.%s", wide->metrics.names.items[i]);
  fputs("\r\n", wide->out);
}

/* Returns true for a decimal number. A number is written unchanged, so that "-1" stays a number; texts get an
 * apostrophe if a spreadsheet would take them for a formula. */
static bool is_number(const char *text) {
  static const char digits[] = "0123456789";
  if (text[0] == '-') text++;
  size_t whole = strspn(text, digits);
  text += whole;
  if (whole != 0 && text[0] == '.') text += 1 + strspn(text + 1, digits);
  if (whole != 0 && (text[0] == 'e' || text[0] == 'E')) {
    text += text[1] == '+' || text[1] == '-' ? 2 : 1;
    whole = strspn(text, digits);
    text += whole;
  }
  return whole != 0 && text[0] == '\0';
}

static void write_axes(struct wide *wide, const struct record *record) {
  struct pairs axes;
  row_axes(record, &axes);
  memset(wide->values, 0, wide->axes.names.count * sizeof *wide->values);
  for (size_t i = 0; i < axes.count; i++)
    wide->values[wide_column_of(&wide->axes, axes.items[i].name)] = axes.items[i].value;
  for (size_t i = 0; i < wide->axes.names.count; i++) {
    fputc(',', wide->out);
    if (wide->values[i] != NULL && is_number(wide->values[i]))
      fputs(wide->values[i], wide->out);
    else
      csv_write_text(wide->out, wide->values[i]);
  }
  pairs_free(&axes);
}

static void write_wide_row(struct wide *wide, const struct record *record) {
  for (size_t i = 0; i < record_field_count; i++) {
    if (is_axes(&record_fields[i])) continue;
    if (i != 0) fputc(',', wide->out);
    csv_write_field(wide->out, record, &record_fields[i]);
  }
  write_axes(wide, record);
  write_metric_columns(wide, record);
  fputs("\r\n", wide->out);
}

int export_csv_wide(const struct run_data *data, FILE *out, struct err *err) {
  struct wide wide = {.out = out, .data = data};
  for (size_t i = 0; i < data->count; i++) {
    collect_axes(&wide, &data->records[i]);
    struct metrics_figure figure;
    for (size_t at = 0; metrics_next(wide.data, &data->records[i], &at, &figure);)
      wide_column_of(&wide.metrics, figure.desc->name);
  }
  wide.figures = xcalloc(wide.metrics.names.count, sizeof *wide.figures);
  wide.values = xcalloc(wide.axes.names.count, sizeof *wide.values);
  write_wide_header(&wide);
  for (size_t i = 0; i < data->count; i++)
    write_wide_row(&wide, &data->records[i]);
  free_columns(&wide.axes);
  free_columns(&wide.metrics);
  free(wide.figures);
  free(wide.values);
  return output_end(out, "the wide CSV", err);
}
