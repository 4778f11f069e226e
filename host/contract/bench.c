/* Prints fields and axes of a bench. */
#include "contract/bench.h"

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

/* ---- Axes and presets as JSON ---- */

static void axis_json(struct json *json, const struct axis_desc *axis) {
  json_object(json, NULL);
  json_text(json, "name", axis->name);
  json_text(json, "type", axis_type_name(axis->type));
  json_text(json, "unit", axis->unit);
  json_text(json, "summary", axis->summary);
  json_text(json, "choices", axis->type == AXIS_STR ? axis->choices : NULL);
  json_text(json, "values", axis->values);
  json_object(json, "defaults");
  for (uint32_t i = 0; i < axis->default_count && i < BACKENDS_MAX; i++)
    json_text(json, axis->defaults[i].backend, axis->defaults[i].values);
  json_object_end(json);
  json_object_end(json);
}

static void preset_json(struct json *json, const struct preset_desc *preset) {
  json_object(json, NULL);
  json_text(json, "name", preset->name);
  json_text(json, "summary", preset->summary);
  json_text(json, "point", preset->point);
  json_text(json, "backends", preset->backends);
  json_object_end(json);
}

void bench_json(struct json *json, const struct bench_desc *bench) {
  json_array(json, "axes");
  for (uint32_t i = 0; i < bench->axis_count; i++)
    axis_json(json, &bench->axes[i]);
  json_array_end(json);
  json_text(json, "devices_axis", bench->devices_axis > 0 ? bench->axes[bench->devices_axis - 1].name : NULL);
  json_array(json, "presets");
  for (uint32_t i = 0; i < bench->preset_count; i++)
    preset_json(json, &bench->presets[i]);
  json_array_end(json);
}
