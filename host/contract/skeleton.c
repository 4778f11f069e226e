/* Writes the source of a guest in C, C++, CUDA or Python. A guest is a plugin with a variant for another plugin's
 * bench; this one computes nothing yet. */
#include "contract/skeleton.h"

#include <ctype.h>
#include <gpubench/ext/tensor.h>
#include <string.h>

#include "base/escape.h"
#include "contract/words.h"
#include "model/data/dtype.h"
#include "plugin/loader.h"

/* ---- Names for a skeleton's variables ---- */

enum { CONTRACT_NAME = ID_SIZE + 4 };
struct contract_names {
  char tensors[TENSORS_MAX][CONTRACT_NAME];
  char axes[AXES_MAX][CONTRACT_NAME];
};

/* Words that cannot be names of variables: names that the skeletons use, and keywords of the languages. */
static const char *const python_words[] = {
    "case",  "gpubench", "False",    "None",   "True",  "and",  "as",     "assert",   "async",   "await",
    "break", "class",    "continue", "def",    "del",   "elif", "else",   "except",   "finally", "for",
    "from",  "global",   "if",       "import", "in",    "is",   "lambda", "nonlocal", "not",     "or",
    "pass",  "raise",    "return",   "try",    "while", "with", "yield",  NULL,
};
static const char *const c_words[] = {
    "c",         "code",     "gb",       "host",     "registry",  "self",      "status",   "variant",  "vstate",
    "NULL",      "alignas",  "alignof",  "and",      "and_eq",    "asm",       "auto",     "bitand",   "bitor",
    "bool",      "break",    "case",     "catch",    "char",      "class",     "compl",    "const",    "constexpr",
    "continue",  "decltype", "default",  "delete",   "do",        "double",    "else",     "enum",     "explicit",
    "export",    "extern",   "false",    "float",    "for",       "friend",    "goto",     "if",       "inline",
    "int",       "long",     "main",     "mutable",  "namespace", "new",       "noexcept", "not",      "not_eq",
    "nullptr",   "operator", "or",       "or_eq",    "private",   "protected", "public",   "register", "restrict",
    "return",    "short",    "signed",   "sizeof",   "static",    "struct",    "switch",   "template", "this",
    "throw",     "true",     "try",      "typedef",  "typeid",    "typename",  "union",    "unsigned", "using",
    "virtual",   "void",     "volatile", "while",    "xor",       "xor_eq",    "unix",     "linux",    "blockIdx",
    "threadIdx", "blockDim", "gridDim",  "warpSize", NULL,
};

static bool is_taken(const struct contract_names *names, const char *const *words, const char *name) {
  for (; *words != NULL; words++)
    if (strcmp(*words, name) == 0) return true;
  for (size_t i = 0; i < TENSORS_MAX; i++)
    if (names->tensors[i] != name && strcmp(names->tensors[i], name) == 0) return true;
  for (size_t i = 0; i < AXES_MAX; i++)
    if (names->axes[i] != name && strcmp(names->axes[i], name) == 0) return true;
  return false;
}

static void choose_identifier(const struct contract_names *names, const char *const *words, const char *text,
                              char *to) {
  size_t length = 0;
  if (isdigit((unsigned char)text[0])) to[length++] = 't';
  for (; *text != '\0' && length < ID_SIZE; text++)
    to[length++] = isalnum((unsigned char)*text) ? *text : '_';
  for (to[length] = '\0'; is_taken(names, words, to) && length < CONTRACT_NAME - 1; to[length] = '\0')
    to[length++] = '_';
}

/* Makes a unique identifier for each tensor and axis: "scores/max" becomes "scores_max", "c" becomes "c_". */
static void contract_names(const struct contract *contract, bool python, struct contract_names *names) {
  const char *const *words = python ? python_words : c_words;
  const struct bench_desc *bench = contract->lineup->desc;
  memset(names, 0, sizeof *names);
  for (uint32_t i = 0; contract->why[0] == '\0' && i < contract->example.count; i++)
    choose_identifier(names, words, contract->example.tensors[i].name, names->tensors[i]);
  for (uint32_t a = 0; a < bench->axis_count; a++)
    choose_identifier(names, words, bench->axes[a].name, names->axes[a]);
}

/* Writing the source in C, C++ or CUDA. The source compiles unchanged; until its author has written the computation,
 * the variant is skipped with a message. */

enum { WORD_SIZE = 8192 };

struct writer {
  const struct contract *c;
  const struct skeleton *wanted;
  struct contract_names names;
  bool cuda, cpp; /* true for CUDA; true for C++ and CUDA */
  FILE *out;
};

static const char *c_type(uint32_t dtype) {
  switch (dtype) {
    case GB_DTYPE_F64:
      return "double";
    case GB_DTYPE_F32:
      return "float";
    case GB_DTYPE_I32:
      return "int32_t";
    case GB_DTYPE_F16:
    case GB_DTYPE_BF16:
      return "uint16_t"; /* the bits of the value */
    default:
      return "uint8_t";
  }
}

/* Prints the type of a tensor's pointer: "const float *". */
static void put_type(const struct writer *w, uint32_t tensor) {
  const struct tensor_desc *t = &w->c->example.tensors[tensor];
  fprintf(w->out, "%s%s *", t->role == GB_IN ? "const " : "", c_type(t->dtype));
}

static const char *axis_type(const struct axis_desc *axis) {
  return axis->type == AXIS_I64 ? "int64_t " : axis->type == AXIS_F64 ? "double " : "const char *";
}

/* Prints a plugin's text inside a comment. */
static void comment(FILE *out, const char *text) {
  char copy[WORD_SIZE];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  for (const char *at = copy; *at != '\0'; at++)
    putc(at > copy && *at == '/' && at[-1] == '*' ? '_' : *at, out);
}
#define comment_print(out, ...) escape_print(out, comment, __VA_ARGS__)

/* Prints a part of a string literal. A character that cannot stand in a literal as it is becomes '_'. */
static void literal(FILE *out, const char *text) {
  for (; *text != '\0'; text++)
    putc(*text >= ' ' && *text <= '~' && strchr("\"\\?%", *text) == NULL ? *text : '_', out);
}
#define literal_print(out, ...) escape_print(out, literal, __VA_ARGS__)

static uint32_t count_tensors(const struct writer *w) {
  return w->c->why[0] == '\0' ? w->c->example.count : 0;
}

static void write_tensor_pointer(const struct writer *w, uint32_t i) {
  const struct tensor_desc *t = &w->c->example.tensors[i];
  char shape[RANK_MAX * TEXT_SIZE];
  contract_shape(t, shape, sizeof shape);
  fputs("  ", w->out), put_type(w, i), fprintf(w->out, "%s = ", w->names.tensors[i]);
  if (w->cpp) fputs("static_cast<", w->out), put_type(w, i), fputs(">(", w->out);
  literal_print(w->out, "gb.tensor->data(c, \"%s\")", t->name);
  comment_print(w->out, "%s; /* %s, %s %s%s */\n", w->cpp ? ")" : "", contract_role(t->role), dtype_name(t->dtype),
                shape, contract_is_dense(t) ? "" : ", strided");
}

static void write_axis(const struct writer *w, uint32_t a) {
  const struct axis_desc *axis = &w->c->lineup->desc->axes[a];
  const char *ask = axis->type == AXIS_I64 ? "i64" : axis->type == AXIS_F64 ? "f64" : "str";
  fprintf(w->out, "  %s%s = gb.point->%s(c, ", axis_type(axis), w->names.axes[a], ask);
  literal_print(w->out, "\"%s\");", axis->name);
  if (axis->summary[0] != '\0') comment_print(w->out, " /* %s */", axis->summary);
  putc('\n', w->out);
}

/* Prints each tensor and axis, preceded by `before`, and with its type if `typed`. Without `texts` leaves out text
 * axes, which kernels cannot read because the texts are in the host's memory. */
static void write_arguments(const struct writer *w, bool typed, bool texts, const char *before, const char *between) {
  const struct bench_desc *bench = w->c->lineup->desc;
  const char *next = "";
  for (uint32_t i = 0; i < count_tensors(w); i++, next = between) {
    fprintf(w->out, "%s%s", next, before);
    if (typed) put_type(w, i);
    fputs(w->names.tensors[i], w->out);
  }
  for (uint32_t a = 0; a < bench->axis_count; a++) {
    if (!texts && bench->axes[a].type == AXIS_STR) continue;
    fprintf(w->out, "%s%s%s%s", next, before, typed ? axis_type(&bench->axes[a]) : "", w->names.axes[a]);
    next = between;
  }
}

/* Writes the callback `supports`. It checks that a case has the tensor types of the example, but accepts no case until
 * the author changes the callback. */
static void write_supports(const struct writer *w) {
  fprintf(w->out, "static gb_status %s_supports(const gb_variant *self, gb_case *c) {\n  (void)self;\n",
          w->wanted->name);
  for (uint32_t a = 0; a < w->c->point.count; a++) {
    const struct axis_value *value = &w->c->point.values[a];
    if (!contract_axis_types(w->c, a)) continue;
    literal_print(w->out, "  if (!gb_axis_is(&gb, c, \"%s\", \"%s\")) return gb_failf(&gb, c, GB_SKIP, \"%s only\");\n",
                  value->name, value->str, value->str);
  }
  fprintf(w->out, "  return gb_failf(&gb, c, GB_SKIP, \"%s is not written yet\"); /* step 2: return GB_OK; */\n}\n\n",
          w->wanted->name);
}

static void write_kernel(const struct writer *w) {
  fprintf(w->out, "static __global__ void %s_kernel(", w->wanted->name);
  write_arguments(w, true, false, "", ", ");
  fputs(") {\n  /* step 1: write every element of every output */\n}\n\n", w->out);
}

static void write_launch(const struct writer *w) {
  fprintf(w->out, "  %s_kernel<<<1, 256, 0, gb.cuda->stream(c)>>>(", w->wanted->name);
  write_arguments(w, false, false, "", ", ");
  fputs(
      ");\n  const cudaError_t code = cudaGetLastError();\n"
      "  return code == cudaSuccess ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, \"launch: %s\", "
      "cudaGetErrorString(code));\n",
      w->out);
}

static void write_run_function(const struct writer *w) {
  fprintf(w->out, "static gb_status %s_run(const gb_variant *self, gb_case *c, void *vstate) {\n", w->wanted->name);
  if (count_tensors(w) > 0) comment_print(w->out, "  /* as at %s */\n", w->c->key);
  for (uint32_t i = 0; i < count_tensors(w); i++)
    write_tensor_pointer(w, i);
  if (w->c->why[0] != '\0') fputs("  /* gb.tensor->data(c, NAME) gives its tensors: README */\n", w->out);
  for (uint32_t a = 0; a < w->c->lineup->desc->axis_count; a++)
    write_axis(w, a);
  fputs("  (void)self, (void)vstate;\n", w->out);
  if (count_tensors(w) + w->c->lineup->desc->axis_count > 0)
    fputs("  ", w->out), write_arguments(w, false, true, "(void)", ", "), fputs(";\n", w->out);
  if (w->cuda)
    write_launch(w);
  else
    fputs("  /* step 1: write every element of every output */\n  (void)c;\n  return GB_OK;\n", w->out);
  fputs("}\n\n", w->out);
}

/* Writes the plugin's file name without a folder if the loader finds the same file by that name, else its path. */
void contract_owner(const struct catalog *catalog, const struct lineup *lineup, char *to, size_t size) {
  const char *path = catalog->plugins[lineup->plugin].path, *name = text_file_name(path);
  char found[4096];
  struct err ignored = {0};
  const bool bare = loader_find(name, found, sizeof found, &ignored) == 0 && strcmp(found, path) == 0;
  text_copy(to, size, bare ? name : path);
}

static void write_guest_head(const struct writer *w, const struct catalog *catalog) {
  const char *name = w->wanted->name;
  char owner[4096], word[WORD_SIZE] = "";
  comment_print(w->out, "/* A guest of %s", w->c->lineup->id);
  if (w->c->lineup->desc->summary[0] != '\0') comment_print(w->out, ": %s", w->c->lineup->desc->summary);
  fprintf(w->out,
          ".\n * Steps that make it yours:\n * 1. write every element of every output in %s_%s;\n"
          " * 2. let %s_supports return GB_OK, but for cases that it cannot run;\n"
          " * 3. what is done once goes to a `prepare`, and what that took is given back in a `release`;\n"
          " * 4. for another way to compute it: another gb_variant, and another attach;\n"
          " * 5. for more types: let %s_supports pass them, and %s_run choose a kernel by gb_axis_is, as the\n"
          " *    SDK's examples/matmul-cuda does.",
          name, w->cuda ? "kernel" : "run", name, name, name);
  contract_owner(catalog, w->c->lineup, owner, sizeof owner);
  text_shell_add(word, sizeof word, owner);
  if (w->wanted->by_hand)
    comment_print(w->out,
                  "\n * cc -std=c11 -O2 -fPIC -shared -fvisibility=hidden -IPREFIX/include mine.c -o mine.so\n"
                  " * gpubench --plugin %s --plugin ./mine.so",
                  word);
  fputs(" */\n#include <gpubench/sugar.h>\n\nstatic gb_sdk gb; /* the host's services */\n\n", w->out);
}

static void write_variant(const struct writer *w) {
  const char *name = w->wanted->name;
  char minor[64] = "";
  const uint32_t contract_minor = w->c->lineup->desc->contract_minor;
  if (!w->cpp) {
    if (contract_minor > 0) snprintf(minor, sizeof minor, ".contract_minor = %u, ", contract_minor);
    fprintf(
        w->out,
        "static const gb_variant variant = GB_VARIANT(\"%s\", \"%s\", \"native\", %s.supports = %s_supports, .run = "
        "%s_run);\n\n",
        name, w->c->backend, minor, name, name);
    return;
  }
  if (contract_minor > 0) snprintf(minor, sizeof minor, "  v.contract_minor = %u;\n", contract_minor);
  fprintf(w->out,
          "static gb_variant %s_variant() {\n  gb_variant v;\n  GB_CLEAR(v);\n  v.name = \"%s\", v.backend = \"%s\", "
          "v.math = \"native\";\n%s  v.supports = %s_supports, v.run = %s_run;\n  return v;\n}\n\n",
          name, name, w->cuda ? "cuda" : w->c->backend, minor, name, name);
}

static void write_guest_entry(const struct writer *w) {
  const char *name = w->wanted->name;
  fprintf(w->out,
          "static gb_status %s_open(const gb_host *host, gb_registry *registry, void **self) {\n  (void)self;\n", name);
  if (w->cpp) fprintf(w->out, "  static const gb_variant variant = %s_variant();\n", name);
  literal_print(w->out,
                "  const gb_status status = gb_sdk_open(&gb, host);\n"
                "  return status == GB_OK ? host->attach(host, registry, \"%s\", &variant) : status;\n}\n\n",
                w->c->lineup->desc->contract);
  if (w->cpp)
    fprintf(w->out,
            "extern \"C\" GB_EXPORT const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT(\"%s\", \"0.1.0\", %s_open);\n", name,
            name);
  else
    fprintf(w->out, "const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT(\"%s\", \"0.1.0\", %s_open);\n", name, name);
}

void contract_skeleton(const struct catalog *catalog, const struct contract *c, const struct skeleton *wanted,
                       FILE *out) {
  struct writer w = {.c = c, .wanted = wanted, .cuda = strcmp(wanted->lang, "cuda") == 0, .out = out};
  w.cpp = w.cuda || strcmp(wanted->lang, "cpp") == 0;
  contract_names(c, false, &w.names);
  write_guest_head(&w, catalog);
  if (w.cuda) write_kernel(&w);
  write_supports(&w);
  write_run_function(&w);
  write_variant(&w);
  write_guest_entry(&w);
}

/* ---- The same variant as a Python script: a function with the bench's tensors and axes as parameters ---- */

/* Prints a plugin's text inside a comment or a string, without characters that would end or change it. */
static void put_python_text(FILE *out, const char *text) {
  char copy[WORD_SIZE];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  for (const char *at = copy; *at != '\0'; at++)
    putc(*at == '"' ? '\'' : *at == '\\' ? '/' : *at, out);
}
#define python_print(out, ...) escape_print(out, put_python_text, __VA_ARGS__)

static void put_about_tensor(const struct contract *c, uint32_t i, FILE *out) {
  const struct tensor_desc *t = &c->example.tensors[i];
  char shape[RANK_MAX * TEXT_SIZE];
  contract_shape(t, shape, sizeof shape);
  python_print(out, "# %s, %s %s%s\n", contract_role(t->role), dtype_name(t->dtype), shape,
               contract_is_dense(t) ? "" : ", strided");
}

static void put_about_axis(const struct axis_desc *axis, FILE *out) {
  python_print(out, "%s%s\n", axis->summary[0] != '\0' ? "  # " : "", axis->summary);
}

/* Prints a parameter for each tensor and axis whose name is valid in Python. Tensors and axes with other names are
 * reached through the function's parameter `case`. */
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
      python_print(out, "    %s = case.tensors[\"%s\"]  ", names->tensors[i], c->example.tensors[i].name);
      put_about_tensor(c, i, out);
    }
  for (uint32_t a = 0; a < bench->axis_count; a++)
    if (strcmp(names->axes[a], bench->axes[a].name) != 0) {
      python_print(out, "    %s = case.axes[\"%s\"]", names->axes[a], bench->axes[a].name);
      put_about_axis(&bench->axes[a], out);
    }
}

static void put_head(const struct contract *c, FILE *out) {
  python_print(out, "\"\"\"A guest of %s", c->lineup->id);
  if (c->lineup->desc->summary[0] != '\0') python_print(out, ": %s", c->lineup->desc->summary);
  if (c->why[0] == '\0') python_print(out, ".\nShapes are those of %s", c->key);
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
    python_print(out, "    if case.axes[\"%s\"] != \"%s\":\n        raise gpubench.Skip(\"%s only\")\n", value->name,
                 value->str, value->str);
  }
  fprintf(out, "    raise gpubench.Skip(\"%s is not written yet\")  # step 2: out with this line\n\n\n", name);
}

void contract_python(const struct contract *c, const struct skeleton *wanted, FILE *out) {
  struct contract_names names;
  contract_names(c, true, &names);
  put_head(c, out);
  put_supports(c, wanted->name, out);
  python_print(out, "@gpubench.variant(\"%s\"", c->lineup->desc->contract);
  if (c->lineup->desc->contract_minor > 0) fprintf(out, ", contract_minor=%u", c->lineup->desc->contract_minor);
  fprintf(out, ", name=\"%s\", supports=supports, arrays=\"numpy\")\ndef run(\n", wanted->name);
  put_parameters(c, &names, out);
  fputs("):\n", out);
  put_others(c, &names, out);
  fputs("    pass  # step 1: write every element of every output, as in y[...] = x\n", out);
}
