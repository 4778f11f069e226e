/* Fields and axes, line by line. */
#include "commands/bench_text.h"

#include "model/axis.h"

void bench_text_put(FILE *out, const char *before, const char *text) {
  char copy[4096];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  if (copy[0] != '\0') fprintf(out, "%s%s", before, copy);
}

void bench_text_axis(const char *lead, const struct axis_desc *axis, FILE *out) {
  fprintf(out, "%s%-14s %s  ", lead, axis->name, axis_type_name(axis->type));
  bench_text_put(out, "", axis->values);
  for (uint32_t i = 0; i < axis->default_count && i < BACKENDS_MAX; i++) {
    bench_text_put(out, "; ", axis->defaults[i].backend);
    bench_text_put(out, ": ", axis->defaults[i].values);
  }
  if (axis->type == AXIS_STR) bench_text_put(out, "  of ", axis->choices);
  bench_text_put(out, "  ", axis->unit);
  bench_text_put(out, "  -- ", axis->summary);
  putc('\n', out);
}

void bench_text_devices(const char *lead, const struct bench_desc *bench, FILE *out) {
  if (bench->devices_axis > 0) fprintf(out, "%sas many as %s says\n", lead, bench->axes[bench->devices_axis - 1].name);
}
