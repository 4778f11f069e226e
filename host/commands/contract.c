/* Contracts as text. */
#include "commands/contract.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "case/check.h"
#include "commands/bench_text.h"
#include "commands/contract_forms.h"
#include "commands/contract_words.h"
#include "model/dtype.h"

static void print_head(const struct contract *c, const struct catalog *catalog, FILE *out) {
  const struct catalog_plugin *owner = &catalog->plugins[c->lineup->plugin];
  bench_text_put(out, "contract ", c->lineup->desc->contract);
  bench_text_put(out, "\n  ", c->lineup->desc->summary);
  bench_text_put(out, "\n  bench ", c->lineup->id);
  bench_text_put(out, ", of plugin ", owner->desc.id);
  bench_text_put(out, " ", owner->desc.version);
  bench_text_put(out, " in ", owner->path);
  putc('\n', out);
}

static void print_axes(const struct bench_desc *bench, FILE *out) {
  if (bench->axis_count > 0) fputs("axes\n", out);
  for (uint32_t a = 0; a < bench->axis_count; a++)
    bench_text_axis("  ", &bench->axes[a], out);
  bench_text_devices("devices ", bench, out);
}

static void print_presets(const struct bench_desc *bench, FILE *out) {
  if (bench->preset_count > 0) fputs("presets\n", out);
  for (uint32_t i = 0; i < bench->preset_count; i++) {
    const struct preset_desc *preset = &bench->presets[i];
    fprintf(out, "  %-24s ", preset->name);
    bench_text_put(out, "", preset->point);
    bench_text_put(out, "  default on ", preset->backends);
    bench_text_put(out, "  -- ", preset->summary);
    putc('\n', out);
  }
}

/* In the tolerance of each math: norm-relative. */
static void print_tolerances(const struct contract *c, uint32_t tensor, FILE *out) {
  const struct tensor_desc *t = &c->example.tensors[tensor];
  uint32_t types[16];
  size_t count = contract_output_types(c, tensor, types, 16);
  for (size_t i = 0; i < count; i++) {
    fprintf(out, "  %-14s %-4s", t->name, dtype_name(types[i]));
    const char *exact = contract_exact(t, types[i]);
    if (exact != NULL) fprintf(out, "  %s", exact);
    if (t->tolerance > 0) fprintf(out, "  %.2g, the bench's own", t->tolerance);
    for (size_t n = 0; exact == NULL && !(t->tolerance > 0) && check_math(n) != NULL; n++)
      fprintf(out, "  %s %.2g", check_math(n), check_tolerance(types[i], check_math(n), t->reduction));
    putc('\n', out);
  }
}

static void print_tensor(const struct contract *c, uint32_t tensor, FILE *out) {
  const struct tensor_desc *t = &c->example.tensors[tensor];
  char shape[RANK_MAX * TEXT_SIZE], layout[RANK_MAX * TEXT_SIZE], types[TEXT_SIZE * 2], fill[TEXT_SIZE];
  contract_shape(t, shape, sizeof shape);
  contract_layout(t, layout, sizeof layout);
  contract_dtypes(c, tensor, types, sizeof types);
  contract_fill(t, fill, sizeof fill);
  fprintf(out, "  %-14s %-7s %s  %s  %s", t->name, contract_role(t->role), types, shape, layout);
  bench_text_put(out, "; ", fill);
  if (contract_is_output(t) && t->reduction > 1) fprintf(out, "; sums of %" PRIu64 " terms", t->reduction);
  putc('\n', out);
}

static void print_tensors(const struct contract *c, FILE *out) {
  const char *name;
  uint64_t work;
  fputs("tensors  of ", out);
  bench_text_put(out, "", c->key);
  fprintf(out, " on %s\n", c->backend);
  for (uint32_t i = 0; i < c->example.count; i++)
    print_tensor(c, i, out);
  if (c->example.count == 0) fputs("  none\n", out);
  fputs("work\n", out);
  bool any = false;
  for (size_t i = 0; contract_work(c, &i, &name, &work); any = true)
    fprintf(out, "  %-14s %" PRIu64 "\n", name, work);
  if (!any) fputs("  not stated\n", out);
  if (contract_has_outputs(&c->example))
    fprintf(out, "tolerance  norm-relative, by math; native is %s here\n", contract_native(&c->example));
  for (uint32_t i = 0; i < c->example.count; i++)
    if (contract_is_output(&c->example.tensors[i])) print_tolerances(c, i, out);
}

static void print_variants(const struct contract *c, const struct catalog *catalog, FILE *out) {
  fputs("variants\n", out);
  for (size_t i = 0; i < c->lineup->variant_count; i++) {
    const struct lineup_variant *v = &c->lineup->variants[i];
    fprintf(out, "  %-24s %-5s %s", v->name, v->desc->backend, v->desc->math);
    if (v->desc->flags & VARIANT_BASELINE) fputs("  baseline", out);
    if (v->desc->flags & VARIANT_YARDSTICK) fputs("  yardstick", out);
    if (v->desc->flags & VARIANT_BY_NAME) fputs("  by name only", out);
    if (v->desc->bench < 0) bench_text_put(out, "  from plugin ", catalog->plugins[v->plugin].desc.id);
    bench_text_put(out, "  -- ", v->desc->summary);
    putc('\n', out);
  }
}

/* A bundled plugin is found without being named. */
static void print_start(const struct contract *c, const struct catalog *catalog, FILE *out) {
  char owner[4096], word[sizeof owner + EXPR_SIZE] = "";
  contract_owner(catalog, c->lineup, owner, sizeof owner);
  text_shell_add(word, sizeof word, owner);
  bench_text_put(out, "a guest to start from:  gpubench new mine --guest ", c->lineup->id);
  if (strchr(owner, '/') != NULL) bench_text_put(out, " --plugin ", word);
  putc('\n', out);
}

static void print_contract(const struct contract *c, const struct catalog *catalog, FILE *out) {
  print_head(c, catalog, out);
  print_axes(c->lineup->desc, out);
  print_presets(c->lineup->desc, out);
  if (c->why[0] == '\0') print_tensors(c, out);
  if (c->why[0] != '\0') bench_text_put(out, "tensors  not known here: ", c->why), putc('\n', out);
  print_variants(c, catalog, out);
  print_start(c, catalog, out);
}

static int print_json(const struct catalog *catalog, const struct contract *contracts, size_t count, FILE *out) {
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  json_array(&json, "contracts");
  for (size_t i = 0; i < count; i++)
    contract_json(&json, catalog, &contracts[i]);
  json_array_end(&json);
  json_object_end(&json);
  return json_end(&json);
}

int contract_print(const struct options *options, const struct catalog *catalog, const struct contract *contracts,
                   size_t count, FILE *out) {
  if (options->list.json) return print_json(catalog, contracts, count, out) == 0 ? EXIT_OK : EXIT_FAILED;
  for (size_t i = 0; i < count; i++) {
    if (i > 0) putc('\n', out);
    if (options->list.skeleton)
      contract_skeleton(catalog, &contracts[i], &(struct skeleton){"c", "mine", true}, out);
    else if (options->list.markdown)
      contract_markdown(&contracts[i], out);
    else
      print_contract(&contracts[i], catalog, out);
  }
  return fflush(out) != 0 || ferror(out) ? EXIT_FAILED : EXIT_OK;
}
