/* Texts about parts of a contract (what a variant of a bench must compute), for all forms in which it is printed. */
#include "contract/words.h"

#include <gpubench/ext/mem.h>
#include <gpubench/ext/tensor.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "case/check.h"
#include "model/axis.h"
#include "model/data/dtype.h"

const char *contract_exact(const struct tensor_desc *t, uint32_t dtype) {
  if (t->exact) return "bit for bit";
  return t->tolerance > 0 || dtype_roundoff(dtype) > 0 ? NULL : "exact";
}

double contract_tolerance(const struct tensor_desc *t, uint32_t dtype, const char *math) {
  const bool own = t->exact || t->tolerance > 0;
  return own ? t->tolerance : check_tolerance(dtype, math, t->reduction);
}

bool contract_is_output(const struct tensor_desc *t) {
  return t->role == GB_OUT || t->role == GB_INOUT;
}

bool contract_has_outputs(const struct declaration *d) {
  for (uint32_t i = 0; i < d->count; i++)
    if (contract_is_output(&d->tensors[i])) return true;
  return false;
}

static void write_extents(const int64_t *values, uint32_t count, char *to, size_t size) {
  size_t used = 0;
  for (uint32_t i = 0; i < count && used < size; i++)
    used += (size_t)snprintf(to + used, size - used, "%s%" PRId64, i > 0 ? ", " : "[", values[i]);
  if (used < size) snprintf(to + used, size - used, "]");
}

void contract_shape(const struct tensor_desc *t, char *to, size_t size) {
  write_extents(t->shape, t->rank, to, size);
}

void contract_layout(const struct tensor_desc *t, char *to, size_t size) {
  char strides[RANK_MAX * 24] = "row-major, dense";
  unsigned long long align = t->align, offset = t->offset;
  if (!contract_is_dense(t)) {
    text_copy(strides, sizeof strides, "strides ");
    write_extents(t->strides, t->rank, strides + 8, sizeof strides - 8);
  }
  const char *where = t->memory == GB_MEM_HOST     ? ", in host memory"
                      : t->memory == GB_MEM_PINNED ? ", in page-locked host memory"
                                                   : "";
  if (offset > 0)
    snprintf(to, size, "%s, %llu bytes behind an alignment to %llu%s", strides, offset, align, where);
  else
    snprintf(to, size, "%s, aligned to %llu bytes%s", strides, align, where);
}

static void append_dtype(char *to, size_t size, const char *dtype, const struct axis_value *value) {
  size_t used = strlen(to);
  snprintf(to + used, size - used, "%s%s (%s=%s)", used > 0 ? ", " : "", dtype, value->name, value->str);
}

void contract_dtypes(const struct contract *c, uint32_t tensor, char *to, size_t size) {
  const struct tensor_desc *t = &c->example.tensors[tensor];
  to[0] = '\0';
  for (uint32_t a = 0; a < c->point.count; a++) {
    bool own = false;
    if (c->point.values[a].type != AXIS_STR) continue;
    for (size_t i = 0; i < c->probe_count; i++) {
      const struct probe *p = &c->probes[i];
      uint32_t dtype = p->axis == a ? contract_probed_dtype(p, t->name) : t->dtype;
      if (dtype == t->dtype) continue;
      if (!own) append_dtype(to, size, dtype_name(t->dtype), &c->point.values[a]);
      own = true;
      if (dtype != 0) append_dtype(to, size, dtype_name(dtype), &p->value);
    }
  }
  if (to[0] == '\0') text_copy(to, size, dtype_name(t->dtype));
}

static size_t add_type(uint32_t *types, size_t count, size_t most, uint32_t dtype) {
  for (size_t i = 0; i < count; i++)
    if (types[i] == dtype) return count;
  if (count < most && dtype != 0) types[count++] = dtype;
  return count;
}

size_t contract_output_types(const struct contract *c, uint32_t tensor, uint32_t *types, size_t most) {
  const struct tensor_desc *t = &c->example.tensors[tensor];
  size_t count = add_type(types, 0, most, t->dtype);
  for (size_t i = 0; i < c->probe_count; i++)
    count = add_type(types, count, most, contract_probed_dtype(&c->probes[i], t->name));
  return count;
}

bool contract_work(const struct contract *c, size_t *index, const char **name, uint64_t *value) {
  const struct case_report *report = &c->example.report;
  const char *names[] = {"operations", "bytes read", "bytes written",
                         report->item_unit[0] != '\0' ? report->item_unit : "items"};
  const uint64_t values[] = {report->flops, report->bytes_read, report->bytes_written, report->items};
  size_t i = *index;
  while (i < 4 && values[i] == 0)
    i++;
  *index = i + 1;
  if (i < 4) *name = names[i], *value = values[i];
  return i < 4;
}

/* ---- A bench's axes, presets and variants ---- */

void bench_text_put(FILE *out, const char *before, const char *text) {
  char copy[4096];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  if (copy[0] != '\0') fprintf(out, "%s%s", before, copy);
}

void bench_text_contract(const char *before, const char *contract, uint32_t minor, FILE *out) {
  bench_text_put(out, before, contract);
  if (minor > 0) fprintf(out, ", minor %u", minor);
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

void bench_text_preset(const char *lead, const struct preset_desc *preset, const char *by_name, FILE *out) {
  fprintf(out, "%s%-24s ", lead, preset->name);
  bench_text_put(out, "", preset->point);
  bench_text_put(out, "  default on ", preset->backends);
  if (preset->backends[0] == '\0') fputs(by_name, out);
  bench_text_put(out, "  -- ", preset->summary);
  putc('\n', out);
}

void bench_text_variant(const char *lead, const struct catalog *catalog, const struct lineup_variant *variant,
                        FILE *out) {
  const struct variant_desc *desc = variant->desc;
  fprintf(out, "%s%-24s %-5s %s", lead, variant->name, desc->backend, desc->math);
  if (desc->flags & VARIANT_BASELINE) fputs("  baseline", out);
  if (desc->flags & VARIANT_YARDSTICK) fputs("  yardstick", out);
  if (desc->flags & VARIANT_BY_NAME) fputs("  by name only", out);
  if (desc->bench < 0) bench_text_put(out, "  from plugin ", catalog->plugins[variant->plugin].desc.id);
  bench_text_put(out, "  -- ", desc->summary);
  putc('\n', out);
}

/* ---- Axes, presets and variants as JSON ---- */

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

void bench_json_variants(struct json *json, const struct catalog *catalog, const struct lineup *lineup, bool guests) {
  json_array(json, "variants");
  for (size_t i = 0; i < lineup->variant_count; i++) {
    const struct lineup_variant *v = &lineup->variants[i];
    json_object(json, NULL);
    json_text(json, "name", v->name);
    json_text(json, "backend", v->desc->backend);
    json_text(json, "math", v->desc->math);
    json_bool(json, "baseline", (v->desc->flags & VARIANT_BASELINE) != 0);
    json_bool(json, "yardstick", (v->desc->flags & VARIANT_YARDSTICK) != 0);
    json_bool(json, "by_name", (v->desc->flags & VARIANT_BY_NAME) != 0);
    json_text(json, "provider", catalog->plugins[v->plugin].desc.id);
    if (guests) json_bool(json, "guest", v->desc->bench < 0);
    json_text(json, "summary", v->desc->summary);
    json_object_end(json);
  }
  json_array_end(json);
}
