/* Names for a skeleton's variables. */
#include "ask/contract_names.h"

#include <ctype.h>
#include <string.h>

/* What the skeletons call something, and the languages' words. */
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

static void name_of(const struct contract_names *names, const char *const *words, const char *text, char *to) {
  size_t length = 0;
  if (isdigit((unsigned char)text[0])) to[length++] = 't';
  for (; *text != '\0' && length < ID_SIZE; text++)
    to[length++] = isalnum((unsigned char)*text) ? *text : '_';
  for (to[length] = '\0'; is_taken(names, words, to) && length < CONTRACT_NAME - 1; to[length] = '\0')
    to[length++] = '_';
}

void contract_names(const struct contract *contract, bool python, struct contract_names *names) {
  const char *const *words = python ? python_words : c_words;
  const struct bench_desc *bench = contract->lineup->desc;
  memset(names, 0, sizeof *names);
  for (uint32_t i = 0; contract->why[0] == '\0' && i < contract->example.count; i++)
    name_of(names, words, contract->example.tensors[i].name, names->tensors[i]);
  for (uint32_t a = 0; a < bench->axis_count; a++)
    name_of(names, words, bench->axes[a].name, names->axes[a]);
}
