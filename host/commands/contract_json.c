/* A contract as JSON. */
#include "base/json.h"
#include "case/check.h"
#include "commands/bench_json.h"
#include "commands/contract_forms.h"
#include "commands/contract_words.h"
#include "model/dtype.h"

static void json_tolerances(struct json *json, const struct tensor_desc *t) {
  json_object(json, "tolerances");
  for (size_t n = 0; check_math(n) != NULL; n++)
    json_real(json, check_math(n), contract_tolerance(t, t->dtype, check_math(n)));
  json_object_end(json);
  json_bool(json, "tolerance_of_its_own", t->tolerance > 0);
  json_bool(json, "bit_for_bit", t->exact != 0);
}

static void json_tensor(struct json *json, const struct contract *c, uint32_t tensor) {
  const struct tensor_desc *t = &c->example.tensors[tensor];
  char types[2 * TEXT_SIZE], fill[TEXT_SIZE];
  json_object(json, NULL);
  json_text(json, "name", t->name);
  json_text(json, "role", contract_role(t->role));
  json_text(json, "dtype", dtype_name(t->dtype));
  contract_dtypes(c, tensor, types, sizeof types);
  json_text(json, "dtypes", types);
  json_array(json, "shape");
  for (uint32_t i = 0; i < t->rank; i++)
    json_whole(json, NULL, t->shape[i]);
  json_array_end(json);
  json_array(json, "strides");
  for (uint32_t i = 0; i < t->rank; i++)
    json_whole(json, NULL, t->strides[i]);
  json_array_end(json);
  json_bool(json, "dense", contract_is_dense(t));
  json_whole(json, "align_bytes", (int64_t)t->align);
  json_whole(json, "offset_bytes", (int64_t)t->offset);
  contract_fill(t, fill, sizeof fill);
  json_text(json, "fill", fill[0] != '\0' ? fill : NULL);
  if (contract_is_output(t)) {
    json_whole(json, "reduction", (int64_t)t->reduction);
    json_tolerances(json, t);
  }
  json_object_end(json);
}

static void json_example(struct json *json, const struct contract *c) {
  const struct case_report *work = &c->example.report;
  json_text(json, "example", c->key);
  json_text(json, "device", c->backend);
  json_text(json, "not_known", c->why[0] != '\0' ? c->why : NULL);
  json_array(json, "tensors");
  for (uint32_t i = 0; c->why[0] == '\0' && i < c->example.count; i++)
    json_tensor(json, c, i);
  json_array_end(json);
  if (c->why[0] != '\0') return;
  json_object(json, "work");
  json_whole(json, "flops", (int64_t)work->flops);
  json_whole(json, "bytes_read", (int64_t)work->bytes_read);
  json_whole(json, "bytes_written", (int64_t)work->bytes_written);
  json_whole(json, "items", (int64_t)work->items);
  json_text(json, "item_unit", work->item_unit[0] != '\0' ? work->item_unit : NULL);
  json_object_end(json);
  json_text(json, "native", contract_native(&c->example));
}

static void json_variants(struct json *json, const struct catalog *catalog, const struct lineup *lineup) {
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
    json_text(json, "summary", v->desc->summary);
    json_object_end(json);
  }
  json_array_end(json);
}

void contract_json(struct json *json, const struct catalog *catalog, const struct contract *c) {
  const struct catalog_plugin *owner = &catalog->plugins[c->lineup->plugin];
  json_object(json, NULL);
  json_text(json, "contract", c->lineup->desc->contract);
  json_text(json, "summary", c->lineup->desc->summary);
  json_text(json, "bench", c->lineup->id);
  json_text(json, "plugin", owner->desc.id);
  json_text(json, "plugin_version", owner->desc.version);
  json_text(json, "path", owner->path);
  bench_json(json, c->lineup->desc);
  json_example(json, c);
  json_variants(json, catalog, c->lineup);
  json_object_end(json);
}
