/* Prints a contract (what a variant of a bench must compute) as JSON, as Markdown and as text. */
#include "contract/forms.h"

#include <gpubench/ext/tensor.h>
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "case/check.h"
#include "contract/skeleton.h"
#include "contract/words.h"
#include "model/axis.h"
#include "model/data/dtype.h"

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
  json_text_known(json, "fill", fill);
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
  json_text_known(json, "not_known", c->why);
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
  json_text_known(json, "item_unit", work->item_unit);
  json_object_end(json);
  json_text(json, "native", contract_native(&c->example));
}

static void contract_json(struct json *json, const struct catalog *catalog, const struct contract *c) {
  const struct catalog_plugin *owner = &catalog->plugins[c->lineup->plugin];
  json_object(json, NULL);
  json_text(json, "contract", c->lineup->desc->contract);
  json_whole(json, "contract_minor", c->lineup->desc->contract_minor);
  json_text(json, "summary", c->lineup->desc->summary);
  json_text(json, "bench", c->lineup->id);
  json_text(json, "plugin", owner->desc.id);
  json_text(json, "plugin_version", owner->desc.version);
  json_text(json, "path", owner->path);
  bench_json(json, c->lineup->desc);
  json_example(json, c);
  bench_json_variants(json, catalog, c->lineup, false);
  json_object_end(json);
}

/* Printing as Markdown. The text is the same in every build: it contains no paths and no variants, because these depend
 * on the build. */

/* Prints a plugin's text inside a table, with all markup escaped. */
static void put_markdown(FILE *out, const char *text) {
  char copy[4096];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  for (const char *at = copy; *at != '\0'; at++) {
    if (strchr("\\`*_[]<>|#&", *at) != NULL) putc('\\', out);
    putc(*at, out);
  }
}
#define cell_print(out, ...) escape_print(out, put_markdown, __VA_ARGS__)

/* Prints text as code in Markdown: replaces only what would end the code or the table cell. */
static void put_code(FILE *out, const char *text) {
  char copy[4096];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  if (copy[0] == '\0') return;
  putc('`', out);
  for (const char *at = copy; *at != '\0'; at++) {
    if (*at == '|') putc('\\', out);
    putc(*at == '`' ? '\'' : *at, out);
  }
  putc('`', out);
}
#define code_print(out, ...) escape_print(out, put_code, __VA_ARGS__)

static void write_axis_table(const struct bench_desc *bench, FILE *out) {
  if (bench->axis_count > 0) fputs("\n| axis | type | default | meaning |\n|---|---|---|---|\n", out);
  for (uint32_t a = 0; a < bench->axis_count; a++) {
    const struct axis_desc *axis = &bench->axes[a];
    code_print(out, "| %s | ", axis->name);
    fputs(axis->type == AXIS_STR ? "one of " : axis_type_name(axis->type), out);
    if (axis->type == AXIS_STR) put_code(out, axis->choices);
    code_print(out, " | %s", axis->values);
    for (uint32_t i = 0; i < axis->default_count && i < BACKENDS_MAX; i++) {
      cell_print(out, "; %s: ", axis->defaults[i].backend);
      put_code(out, axis->defaults[i].values);
    }
    cell_print(out, " | %s", axis->summary);
    if (axis->unit[0] != '\0' && strcmp(axis->unit, axis->summary) != 0) cell_print(out, " (%s)", axis->unit);
    fputs(" |\n", out);
  }
  if (bench->devices_axis > 0)
    code_print(out, "\nA case works on as many devices as %s says.\n", bench->axes[bench->devices_axis - 1].name);
}

static void write_presets(const struct bench_desc *bench, FILE *out) {
  if (bench->preset_count > 0) fputs("\n| preset | point | default on | |\n|---|---|---|---|\n", out);
  for (uint32_t i = 0; i < bench->preset_count; i++) {
    const struct preset_desc *preset = &bench->presets[i];
    code_print(out, "| %s | %s", preset->name, preset->point);
    cell_print(out, " | %s | %s |\n", preset->backends, preset->summary);
  }
}

static void write_tensor_row(const struct contract *c, uint32_t tensor, FILE *out) {
  const struct tensor_desc *t = &c->example.tensors[tensor];
  char text[RANK_MAX * TEXT_SIZE];
  code_print(out, "| %s", t->name);
  contract_dtypes(c, tensor, text, sizeof text);
  cell_print(out, " | %s | %s", contract_role(t->role), text);
  contract_shape(t, text, sizeof text);
  code_print(out, " | %s", text);
  contract_layout(t, text, sizeof text);
  fprintf(out, " | %s | ", text);
  contract_fill(t, text, sizeof text);
  put_markdown(out, text);
  if (contract_is_output(t) && t->reduction > 1)
    fprintf(out, "%ssums of %" PRIu64 " terms", t->role == GB_INOUT ? "; " : "", t->reduction);
  fputs(" |\n", out);
}

static void write_tolerances(const struct contract *c, FILE *out) {
  if (!contract_has_outputs(&c->example)) return;
  fputs("\n| tolerance | stored as |", out);
  for (size_t n = 0; check_math(n) != NULL; n++)
    fprintf(out, " %s |", check_math(n));
  fputs("\n|---|---|", out);
  for (size_t n = 0; check_math(n) != NULL; n++)
    fputs("---|", out);
  putc('\n', out);
  for (uint32_t i = 0; i < c->example.count; i++) {
    const struct tensor_desc *t = &c->example.tensors[i];
    uint32_t types[16];
    size_t count = contract_is_output(t) ? contract_output_types(c, i, types, 16) : 0;
    for (size_t k = 0; k < count; k++) {
      code_print(out, "| %s", t->name);
      fprintf(out, " | %s |", dtype_name(types[k]));
      for (size_t n = 0; check_math(n) != NULL; n++)
        if (contract_exact(t, types[k]) != NULL)
          fprintf(out, " %s |", contract_exact(t, types[k]));
        else
          fprintf(out, " %.2g |", contract_tolerance(t, types[k], check_math(n)));
      putc('\n', out);
    }
  }
}

static void write_work(const struct contract *c, FILE *out) {
  const char *name;
  uint64_t value;
  bool any = false;
  fputs("\nNominal work: ", out);
  for (size_t i = 0; contract_work(c, &i, &name, &value); any = true)
    fprintf(out, "%s%" PRIu64 " ", any ? ", " : "", value), put_markdown(out, name);
  fputs(any ? ".\n" : "not stated.\n", out);
}

static void contract_markdown(const struct contract *c, FILE *out) {
  code_print(out, "Contract %s", c->lineup->desc->contract);
  if (c->lineup->desc->contract_minor > 0) fprintf(out, ", minor %u,", c->lineup->desc->contract_minor);
  code_print(out, " of bench %s", c->lineup->id);
  if (c->lineup->desc->summary[0] != '\0') cell_print(out, ": %s", c->lineup->desc->summary);
  fputs(".\n", out);
  write_axis_table(c->lineup->desc, out);
  write_presets(c->lineup->desc, out);
  if (c->why[0] != '\0') {
    cell_print(out, "\nThe tensors are not known here: %s.\n", c->why);
    return;
  }
  if (c->example.count == 0) fputs("\nIt declares no tensors.\n", out);
  if (c->example.count > 0)
    fputs("\n| tensor | role | type | shape | layout | data |\n|---|---|---|---|---|---|\n", out);
  for (uint32_t i = 0; i < c->example.count; i++)
    write_tensor_row(c, i, out);
  write_work(c, out);
  write_tolerances(c, out);
  code_print(out, "\nAs declared at %s", c->key);
  fprintf(out, " on the %s, where `native` is %s.\n", c->backend, contract_native(&c->example));
}

/* ---- Text ---- */

static void print_head(const struct contract *c, const struct catalog *catalog, FILE *out) {
  const struct catalog_plugin *owner = &catalog->plugins[c->lineup->plugin];
  bench_text_contract("contract ", c->lineup->desc->contract, c->lineup->desc->contract_minor, out);
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

static void print_contract_presets(const struct bench_desc *bench, FILE *out) {
  if (bench->preset_count > 0) fputs("presets\n", out);
  for (uint32_t i = 0; i < bench->preset_count; i++)
    bench_text_preset("  ", &bench->presets[i], "", out);
}

/* Prints the tolerance of an output in each math mode, as a norm-relative error. */
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

/* Prints the command that makes the source of a guest, a variant of this bench in a new plugin. Leaves out the option
 * --plugin for a bundled plugin, which is found without it. */
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
  print_contract_presets(c->lineup->desc, out);
  if (c->why[0] == '\0') print_tensors(c, out);
  if (c->why[0] != '\0') bench_text_put(out, "tensors  not known here: ", c->why), putc('\n', out);
  fputs("variants\n", out);
  for (size_t i = 0; i < c->lineup->variant_count; i++)
    bench_text_variant("  ", catalog, &c->lineup->variants[i], out);
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
