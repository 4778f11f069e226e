/* A guest that attaches to a contract and writes nothing yet: C that compiles as it is, and is told to be wrong until
 * its loop is there. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <gpubench/ext/tensor.h>

#include "commands/contract_forms.h"
#include "commands/contract_words.h"
#include "model/dtype.h"
#include "plugin/loader.h"

enum { NAMES_MAX = TENSORS_MAX + AXES_MAX, NAME_SIZE = ID_SIZE + 4, WORD_SIZE = 8192 };

/* C names of tensors and axes, each once. */
struct names {
  char items[NAMES_MAX][NAME_SIZE];
  size_t count;
};

static bool is_taken(const struct names *names, const char *name) {
  static const char *const words[] = {
      "c",      "gb",     "self",     "vstate",   "mine",   "main",     "open",    "supports", "run",    "free",
      "auto",   "break",  "case",     "char",     "const",  "continue", "default", "do",       "double", "else",
      "enum",   "extern", "float",    "for",      "goto",   "if",       "inline",  "int",      "long",   "register",
      "return", "short",  "signed",   "sizeof",   "static", "struct",   "switch",  "typedef",  "union",  "unsigned",
      "void",   "while",  "restrict", "volatile", "strcmp", "NULL",
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i], name) == 0) return true;
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->items[i], name) == 0) return true;
  return false;
}

/* "scores/max" as "scores_max", and "c" as "c_". */
static const char *name_of(struct names *names, const char *text) {
  char *to = names->items[names->count];
  size_t length = 0;
  if (isdigit((unsigned char)text[0])) to[length++] = 't';
  for (; *text != '\0' && length < ID_SIZE; text++)
    to[length++] = isalnum((unsigned char)*text) ? *text : '_';
  for (to[length] = '\0'; is_taken(names, to) && length < NAME_SIZE - 1; to[length] = '\0')
    to[length++] = '_';
  names->count++;
  return to;
}

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
      return "uint16_t"; /* the bits */
    default:
      return "uint8_t";
  }
}

/* Texts of plugins within a comment. */
static void comment(FILE *out, const char *text) {
  char copy[WORD_SIZE];
  text_copy(copy, sizeof copy, text);
  text_sanitize(copy);
  for (const char *at = copy; *at != '\0'; at++)
    putc(at > copy && *at == '/' && at[-1] == '*' ? '_' : *at, out);
}

/* A string literal of both. Names and choices are printable ASCII without quotes where the host took them, and else
 * they are made so. */
static void literal(FILE *out, const char *text, const char *more) {
  putc('"', out);
  for (; *text != '\0'; text++)
    putc(*text >= ' ' && *text <= '~' && strchr("\"\\?%", *text) == NULL ? *text : '_', out);
  fprintf(out, "%s\"", more);
}

static void write_tensor(const struct contract *c, uint32_t i, struct names *names, FILE *out) {
  const struct tensor_desc *t = &c->example.tensors[i];
  bool in = t->role == GB_IN;
  char shape[RANK_MAX * TEXT_SIZE];
  contract_shape(c, i, shape, sizeof shape);
  fprintf(out, "  %s%s *%s = gb.tensor->data(c, ", in ? "const " : "", c_type(t->dtype), name_of(names, t->name));
  literal(out, t->name, "");
  fprintf(out, "); /* %s, ", contract_role(t->role)), fprintf(out, "%s ", dtype_name(t->dtype)), comment(out, shape);
  fprintf(out, "%s */\n", contract_is_dense(t) ? "" : ", strided");
}

static void write_axis(const struct axis_desc *axis, struct names *names, FILE *out) {
  const char *type = axis->type == AXIS_I64 ? "int64_t " : axis->type == AXIS_F64 ? "double " : "const char *";
  const char *ask = axis->type == AXIS_I64 ? "i64" : axis->type == AXIS_F64 ? "f64" : "str";
  fprintf(out, "  %s%s = gb.point->%s(c, ", type, name_of(names, axis->name), ask);
  literal(out, axis->name, "");
  fputs(");", out);
  if (axis->summary[0] != '\0') fputs(" /* ", out), comment(out, axis->summary), fputs(" */", out);
  putc('\n', out);
}

/* Which cases it takes: those with the example's types. */
static bool write_supports(const struct contract *c, FILE *out) {
  bool any = false;
  for (uint32_t a = 0; a < c->point.count; a++) {
    if (!contract_axis_types(c, a)) continue;
    if (!any) fputs("static gb_status mine_supports(const gb_variant *self, gb_case *c) {\n  (void)self;\n", out);
    fputs("  if (strcmp(gb.point->str(c, ", out), literal(out, c->point.values[a].name, ""), fputs("), ", out);
    literal(out, c->point.values[a].str, "");
    fputs(") != 0) return gb_failf(&gb, c, GB_SKIP, ", out);
    literal(out, c->point.values[a].str, " only");
    fputs(");\n", out);
    any = true;
  }
  if (any) fputs("  return GB_OK;\n}\n\n", out);
  return any;
}

static void write_run(const struct contract *c, FILE *out) {
  struct names names = {.count = 0};
  fputs("static gb_status mine_run(const gb_variant *self, gb_case *c, void *vstate) {\n", out);
  for (uint32_t i = 0; c->why[0] == '\0' && i < c->example.count; i++)
    write_tensor(c, i, &names, out);
  if (c->why[0] != '\0') fputs("  /* gb.tensor->data(c, NAME) gives its tensors: README */\n", out);
  for (uint32_t a = 0; a < c->lineup->desc->axis_count; a++)
    write_axis(&c->lineup->desc->axes[a], &names, out);
  fputs("  (void)self, (void)vstate;\n", out);
  for (size_t i = 0; i < names.count; i++)
    fprintf(out, "%s(void)%s%s", i == 0 ? "  " : " ", names.items[i], i + 1 < names.count ? "," : ";\n");
  fputs("  /* here: write every element of every output */\n  return GB_OK;\n}\n\n", out);
}

/* As --plugin takes it: by its bare name where that finds this very file. */
static void write_plugin(const char *path, FILE *out) {
  char found[4096], word[WORD_SIZE] = "";
  struct err ignored = {0};
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
  const bool bare = loader_find(name, found, sizeof found, &ignored) == 0 && strcmp(found, path) == 0;
  text_shell_add(word, sizeof word, bare ? name : path);
  comment(out, word);
}

void contract_skeleton(const struct catalog *catalog, const struct contract *c, FILE *out) {
  fputs("/* A guest of ", out), comment(out, c->lineup->id), fputs(": ", out), comment(out, c->lineup->desc->summary);
  fputs(
      ".\n * cc -std=c11 -O2 -fPIC -shared -fvisibility=hidden -IPREFIX/include mine.c -o mine.so\n"
      " * gpubench --plugin ",
      out);
  write_plugin(catalog->plugins[c->lineup->plugin].path, out);
  fputs(" --plugin ./mine.so */\n#include <gpubench/sugar.h>\n#include <string.h>\n\nstatic gb_sdk gb;\n\n", out);
  bool selects = write_supports(c, out);
  write_run(c, out);
  fprintf(out, "static const gb_variant mine = {GB_SIZE(gb_variant), .name = \"mine\", .backend = \"%s\", .math = ",
          c->backend);
  fprintf(out, "\"native\",\n                                %s.run = mine_run};\n\n",
          selects ? ".supports = mine_supports, " : "");
  fputs(
      "static gb_status mine_open(const gb_host *host, gb_registry *registry, void **self) {\n  (void)self;\n"
      "  gb_status status = gb_sdk_open(&gb, host);\n"
      "  return status == GB_OK ? host->attach(host, registry, ",
      out);
  literal(out, c->lineup->desc->contract, "");
  fputs(
      ", &mine) : status;\n}\n\nconst gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = \"mine\", .version = \"0.1.0\","
      " .open = mine_open};\n",
      out);
}
