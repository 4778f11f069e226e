/* The same guest as a script: a function with the contract's tensors and axes as parameters. */
#include <stdio.h>
#include <string.h>

#include "ask/contract_names.h"
#include "commands/contract_forms.h"
#include "commands/contract_words.h"
#include "model/dtype.h"

enum { WORD_SIZE = 8192 };

/* Texts of plugins within a comment or a string: nothing that would end it, or mean something in it. */
static void put(FILE *out, const char *text) {
  char copy[WORD_SIZE];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  for (const char *at = copy; *at != '\0'; at++)
    putc(*at == '"' ? '\'' : *at == '\\' ? '/' : *at, out);
}

static void put_about_tensor(const struct contract *c, uint32_t i, FILE *out) {
  const struct tensor_desc *t = &c->example.tensors[i];
  char shape[RANK_MAX * TEXT_SIZE];
  contract_shape(t, shape, sizeof shape);
  fprintf(out, "# %s, %s ", contract_role(t->role), dtype_name(t->dtype));
  put(out, shape);
  fputs(contract_is_dense(t) ? "\n" : ", strided\n", out);
}

static void put_about_axis(const struct axis_desc *axis, FILE *out) {
  if (axis->summary[0] != '\0') fputs("  # ", out), put(out, axis->summary);
  putc('\n', out);
}

/* A name that Python takes as it is makes a parameter; others are looked up. */
static void put_parameters(const struct contract *c, const struct contract_names *names, FILE *out) {
  const struct bench_desc *bench = c->lineup->desc;
  for (uint32_t i = 0; c->why[0] == '\0' && i < c->example.count; i++)
    if (strcmp(names->tensors[i], c->example.tensors[i].name) == 0)
      fprintf(out, "    %s,  ", names->tensors[i]), put_about_tensor(c, i, out);
  for (uint32_t a = 0; a < bench->axis_count; a++)
    if (strcmp(names->axes[a], bench->axes[a].name) == 0)
      fprintf(out, "    %s,", names->axes[a]), put_about_axis(&bench->axes[a], out);
  fputs("    case,  # has them all: case.tensors[NAME], case.axes[NAME]\n", out);
}

static void put_others(const struct contract *c, const struct contract_names *names, FILE *out) {
  const struct bench_desc *bench = c->lineup->desc;
  for (uint32_t i = 0; c->why[0] == '\0' && i < c->example.count; i++)
    if (strcmp(names->tensors[i], c->example.tensors[i].name) != 0) {
      fprintf(out, "    %s = case.tensors[\"", names->tensors[i]), put(out, c->example.tensors[i].name);
      fputs("\"]  ", out), put_about_tensor(c, i, out);
    }
  for (uint32_t a = 0; a < bench->axis_count; a++)
    if (strcmp(names->axes[a], bench->axes[a].name) != 0) {
      fprintf(out, "    %s = case.axes[\"", names->axes[a]), put(out, bench->axes[a].name);
      fputs("\"]", out), put_about_axis(&bench->axes[a], out);
    }
}

static void put_head(const struct contract *c, FILE *out) {
  fputs("\"\"\"A guest of ", out), put(out, c->lineup->id);
  if (c->lineup->desc->summary[0] != '\0') fputs(": ", out), put(out, c->lineup->desc->summary);
  if (c->why[0] == '\0') fputs(".\nShapes are those of ", out), put(out, c->key);
  fputs(
      ".\n\nSteps that make it yours:\n"
      "1. write every element of every output, in place, in `run`;\n"
      "2. take the last line out of `supports`, and let it raise Skip for cases that `run` cannot compute;\n"
      "3. what is done once goes to a class with prepare(case), run() and release() in place of the function;\n"
      "4. for another way to compute it: another @gpubench.variant;\n"
      "5. for more types: let `supports` pass them. arrays=\"torch\" has bf16, too.\n\"\"\"\n\nimport gpubench\n\n\n",
      out);
}

static void put_supports(const struct contract *c, const char *name, FILE *out) {
  fputs("def supports(case):\n", out);
  for (uint32_t a = 0; a < c->point.count; a++) {
    const struct axis_value *value = &c->point.values[a];
    if (!contract_axis_types(c, a)) continue;
    fputs("    if case.axes[\"", out), put(out, value->name), fputs("\"] != \"", out), put(out, value->str);
    fputs("\":\n        raise gpubench.Skip(\"", out), put(out, value->str), fputs(" only\")\n", out);
  }
  fprintf(out, "    raise gpubench.Skip(\"%s is not written yet\")  # step 2: out with this line\n\n\n", name);
}

void contract_python(const struct contract *c, const struct skeleton *wanted, FILE *out) {
  struct contract_names names;
  contract_names(c, true, &names);
  put_head(c, out);
  put_supports(c, wanted->name, out);
  fputs("@gpubench.variant(\"", out), put(out, c->lineup->desc->contract);
  fprintf(out, "\", name=\"%s\", supports=supports, arrays=\"numpy\")\ndef run(\n", wanted->name);
  put_parameters(c, &names, out);
  fputs("):\n", out);
  put_others(c, &names, out);
  fputs("    pass  # step 1: write every element of every output, as in y[...] = x\n", out);
}
