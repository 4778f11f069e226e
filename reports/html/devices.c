/* Several devices on the first screen: the odd one out in words, then what each reaches. */
#include <math.h>
#include <string.h>

#include "html/page.h"
#include "summary/device_outliers.h"

static void write_heads(const struct page *page, const struct odd *odd) {
  char heads[ODD_RATES][64];
  const char *list[2 + ODD_RATES] = {"Device"};
  size_t count = 1;
  if (odd->has_speed) list[count++] = "speed vs median";
  for (size_t i = 0; i < ODD_RATES; i++) {
    if (!odd->known[i]) continue;
    snprintf(heads[i], sizeof heads[i], "%s, %s", odd_rate_name(i), odd_rate_unit(i));
    list[count++] = heads[i];
  }
  html_table_open(page->out, "matrix",
                  "Speed of all rows beside the devices' median, and what calibrate's kernels reach", list, count);
}

static void write_speed(const struct page *page, const struct odd *odd, const struct odd_device *device) {
  char text[64] = "";
  if (!odd->has_speed) return;
  number_significant(text, sizeof text, device->speed, 3); /* NaN: empty */
  if (text[0] != '\0') strcat(text, "x");
  html_cell(page->out, text);
}

static void write_device(const struct page *page, const struct odd *odd, const struct odd_device *device) {
  fputs("<tr><th scope=\"row\">", page->out);
  html_text(page->out, "%s", device->label);
  if (strcmp(device->label, device->id) != 0) {
    fputs(" <span class=\"soft\">", page->out);
    html_text(page->out, "%s", device->id);
    fputs("</span>", page->out);
  }
  fputs("</th>", page->out);
  write_speed(page, odd, device);
  for (size_t i = 0; i < ODD_RATES; i++) {
    char text[64] = "", marked[96];
    if (!odd->known[i]) continue;
    if (!isnan(device->rates[i])) number_significant(text, sizeof text, device->rates[i], 4);
    snprintf(marked, sizeof marked, "%s%s", device->odd[i] ? "\xE2\x9A\xA0 " : "", text);
    html_cell(page->out, marked);
  }
  fputs("</tr>\n", page->out);
}

void html_devices(const struct page *page) {
  struct odd odd;
  odd_find(page->data, &odd);
  if (odd.count == 0) return;
  fputs("<section aria-labelledby=\"devices\">\n<h2 id=\"devices\">Devices</h2>\n", page->out);
  if (odd.sentences.count != 0) fputs("<ul class=\"conditions\">\n", page->out);
  for (size_t i = 0; i < odd.sentences.count; i++)
    html_condition(page->out, odd.alike, odd.sentences.items[i]);
  if (odd.sentences.count != 0) fputs("</ul>\n", page->out);
  write_heads(page, &odd);
  for (size_t i = 0; i < odd.count; i++)
    write_device(page, &odd, &odd.devices[i]);
  html_table_close(page->out);
  fputs("</section>\n", page->out);
  odd_free(&odd);
}
