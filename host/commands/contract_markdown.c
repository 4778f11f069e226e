/* A contract as Markdown, the same from every build: no paths, and no variants, which depend on what it was built with.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gpubench/ext/tensor.h>

#include "case/check.h"
#include "commands/contract_forms.h"
#include "commands/contract_words.h"
#include "model/axis.h"
#include "model/dtype.h"

/* Text of a plugin's within a table: nothing of it is markup. */
static void put(FILE *out, const char *text) {
  char copy[4096];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  for (const char *at = copy; *at != '\0'; at++) {
    if (strchr("\\`*_[]<>|#&", *at) != NULL) putc('\\', out);
    putc(*at, out);
  }
}

/* As code: only what would end the span or the cell is changed. */
static void code(FILE *out, const char *text) {
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

static void write_axes(const struct bench_desc *bench, FILE *out) {
  if (bench->axis_count > 0) fputs("\n| axis | type | default | meaning |\n|---|---|---|---|\n", out);
  for (uint32_t a = 0; a < bench->axis_count; a++) {
    const struct axis_desc *axis = &bench->axes[a];
    fputs("| ", out), code(out, axis->name), fputs(" | ", out);
    fputs(axis->type == AXIS_STR ? "one of " : axis_type_name(axis->type), out);
    if (axis->type == AXIS_STR) code(out, axis->choices);
    fputs(" | ", out), code(out, axis->values);
    for (uint32_t i = 0; i < axis->default_count && i < BACKENDS_MAX; i++)
      fputs("; ", out), put(out, axis->defaults[i].backend), fputs(": ", out), code(out, axis->defaults[i].values);
    fputs(" | ", out), put(out, axis->summary);
    if (axis->unit[0] != '\0' && strcmp(axis->unit, axis->summary) != 0)
      fputs(" (", out), put(out, axis->unit), putc(')', out);
    fputs(" |\n", out);
  }
  if (bench->devices_axis == 0) return;
  fputs("\nA case works on as many devices as ", out);
  code(out, bench->axes[bench->devices_axis - 1].name), fputs(" says.\n", out);
}

static void write_presets(const struct bench_desc *bench, FILE *out) {
  if (bench->preset_count > 0) fputs("\n| preset | point | default on | |\n|---|---|---|---|\n", out);
  for (uint32_t i = 0; i < bench->preset_count; i++) {
    const struct preset_desc *preset = &bench->presets[i];
    fputs("| ", out), code(out, preset->name), fputs(" | ", out), code(out, preset->point);
    fputs(" | ", out), put(out, preset->backends), fputs(" | ", out), put(out, preset->summary), fputs(" |\n", out);
  }
}

static void write_tensor(const struct contract *c, uint32_t tensor, FILE *out) {
  const struct tensor_desc *t = &c->example.tensors[tensor];
  char text[RANK_MAX * TEXT_SIZE];
  fputs("| ", out), code(out, t->name);
  fprintf(out, " | %s | ", contract_role(t->role));
  contract_dtypes(c, tensor, text, sizeof text);
  put(out, text);
  contract_shape(t, text, sizeof text);
  fputs(" | ", out), code(out, text);
  contract_layout(t, text, sizeof text);
  fprintf(out, " | %s | ", text);
  contract_fill(t, text, sizeof text);
  put(out, text);
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
      fputs("| ", out), code(out, t->name), fprintf(out, " | %s |", dtype_name(types[k]));
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
    fprintf(out, "%s%" PRIu64 " ", any ? ", " : "", value), put(out, name);
  fputs(any ? ".\n" : "not stated.\n", out);
}

void contract_markdown(const struct contract *c, FILE *out) {
  fputs("Contract ", out), code(out, c->lineup->desc->contract), fputs(" of bench ", out), code(out, c->lineup->id);
  if (c->lineup->desc->summary[0] != '\0') fputs(": ", out), put(out, c->lineup->desc->summary);
  fputs(".\n", out);
  write_axes(c->lineup->desc, out);
  write_presets(c->lineup->desc, out);
  if (c->why[0] != '\0') {
    fputs("\nThe tensors are not known here: ", out), put(out, c->why), fputs(".\n", out);
    return;
  }
  if (c->example.count == 0) fputs("\nIt declares no tensors.\n", out);
  if (c->example.count > 0)
    fputs("\n| tensor | role | type | shape | layout | data |\n|---|---|---|---|---|---|\n", out);
  for (uint32_t i = 0; i < c->example.count; i++)
    write_tensor(c, i, out);
  write_work(c, out);
  write_tolerances(c, out);
  fputs("\nAs declared at ", out), code(out, c->key);
  fprintf(out, " on the %s, where `native` is %s.\n", c->backend, contract_native(&c->example));
}
