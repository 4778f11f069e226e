/* The table of devices in the terminal. */
#include <math.h>
#include <string.h>

#include "base/grid.h"
#include "base/number.h"
#include "summary/device_outliers.h"
#include "terminal/columns.h"
#include "terminal/lines.h"

static void add_device(struct grid *grid, const struct device_outlier *device, const size_t *columns) {
  grid_row(grid);
  grid_set(grid, columns[0], GRID_PLAIN, "%s", device->label);
  if (strcmp(device->label, device->id) != 0) grid_set(grid, columns[1], GRID_FAINT, "%s", device->id);
  if (!isnan(device->speed)) {
    grid_set(grid, columns[2 + DEVICE_RATES], GRID_PLAIN, "%sx", number_significant(device->speed, 3).text);
  }
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    if (isnan(device->rates[i])) continue;
    grid_set(grid, columns[2 + i], device->outliers[i] ? GRID_ORANGE : GRID_PLAIN, "%s",
             number_significant(device->rates[i], 4).text);
  }
}

static void print_sentences(const struct device_outliers *outliers, FILE *out, bool color, bool utf8) {
  for (size_t i = 0; i < outliers->sentences.count; i++) {
    table_label(out, utf8, outliers->named ? "odd one out" : "devices");
    table_text(out, outliers->alike ? GRID_PLAIN : GRID_ORANGE, color, utf8, outliers->sentences.items[i]);
    fputc('\n', out);
  }
}

void table_devices(const struct run_data *data, FILE *out, int width, bool color, bool utf8) {
  struct device_outliers outliers;
  struct grid grid = {0};
  size_t columns[3 + DEVICE_RATES] = {0};
  device_outliers_find(data, &outliers);
  if (outliers.count == 0) return;
  grid_row(&grid);
  columns[0] = columns_add(&grid, GRID_LEFT, 0, "device");
  columns[1] = columns_add(&grid, GRID_LEFT, 1, "");
  if (outliers.has_speed) columns[2 + DEVICE_RATES] = columns_add(&grid, GRID_POINT, 0, "speed vs median");
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    char head[64];
    snprintf(head, sizeof head, "%s %s", device_rate_name(i), device_rate_unit(i));
    if (outliers.known[i]) columns[2 + i] = columns_add(&grid, GRID_POINT, 0, head);
  }
  for (size_t i = 0; i < outliers.count; i++)
    add_device(&grid, &outliers.devices[i], columns);
  grid_print(&grid, out, (size_t)width, color, utf8);
  print_sentences(&outliers, out, color, utf8);
  fputc('\n', out);
  device_outliers_free(&outliers);
}
