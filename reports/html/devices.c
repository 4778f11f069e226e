/* Several devices on the first screen: the odd one out in words, then what each reaches. */
#include <math.h>
#include <string.h>

#include "html/page.h"
#include "summary/device_outliers.h"

static void write_heads(const struct page *page, const struct device_outliers *outliers) {
  char heads[DEVICE_RATES][64];
  const char *list[2 + DEVICE_RATES] = {"Device"};
  size_t count = 1;
  if (outliers->has_speed) list[count++] = "speed vs median";
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    if (!outliers->known[i]) continue;
    snprintf(heads[i], sizeof heads[i], "%s, %s", device_rate_name(i), device_rate_unit(i));
    list[count++] = heads[i];
  }
  html_table_open(page->out, "matrix",
                  "Speed of all rows beside the devices' median, and what calibrate's kernels reach", list, count);
}

static void write_speed(const struct page *page, const struct device_outliers *outliers,
                        const struct device_outlier *device) {
  if (!outliers->has_speed) return;
  fprintf(page->out, "<td>%s%s</td>", number_significant(device->speed, 3).text, isnan(device->speed) ? "" : "x");
}

static void write_device(const struct page *page, const struct device_outliers *outliers,
                         const struct device_outlier *device) {
  fputs("<tr><th scope=\"row\">", page->out);
  html_text(page->out, "%s", device->label);
  if (strcmp(device->label, device->id) != 0) {
    html_put(page->out, " <span class=\"soft\">", device->id, "</span>");
  }
  fputs("</th>", page->out);
  write_speed(page, outliers, device);
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    char marked[96];
    if (!outliers->known[i]) continue;
    snprintf(marked, sizeof marked, "%s%s", device->outliers[i] ? "\xE2\x9A\xA0 " : "",
             number_significant(device->rates[i], 4).text);
    html_cell(page->out, marked);
  }
  fputs("</tr>\n", page->out);
}

void html_devices(const struct page *page) {
  struct device_outliers outliers;
  device_outliers_find(page->data, &outliers);
  if (outliers.count == 0) return;
  fputs("<section aria-labelledby=\"devices\">\n<h2 id=\"devices\">Devices</h2>\n", page->out);
  if (outliers.sentences.count != 0) fputs("<ul class=\"conditions\">\n", page->out);
  for (size_t i = 0; i < outliers.sentences.count; i++)
    html_condition(page->out, outliers.alike, outliers.sentences.items[i]);
  if (outliers.sentences.count != 0) fputs("</ul>\n", page->out);
  write_heads(page, &outliers);
  for (size_t i = 0; i < outliers.count; i++)
    write_device(page, &outliers, &outliers.devices[i]);
  html_table_close(page->out);
  fputs("</section>\n", page->out);
  device_outliers_free(&outliers);
}
