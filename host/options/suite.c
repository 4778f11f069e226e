/* Reads suites, which are INI files, into selections, with the library inih.
 *
 * inih counts lines but does not report the number. It splits long lines, joins indented lines to the one before, and
 * continues after errors; some of that depends on how inih was built. Therefore the reader below counts lines itself,
 * refuses long ones, removes indentation, and ends the file at the first error. */
#include "options/suite.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/build_label.h"
#include "model/mode.h"

enum {
  /* length of the longest line, if inih can be configured; otherwise the size of inih's buffer is the limit */
  LINE_LONGEST = 16384,
  SECTION_LONGEST = 48, /* longest name of a section, because inih truncates longer names */
  /* largest number of sections: one for each case of the largest run, and the sections [environment] and [tags] of its
     run.ini */
  SECTIONS_MAX = 100002,
  KEYS_MAX = 256, /* limit of keys in one section */
};

struct seen {
  char *name;
  int line;
};

struct suite {
  const char *path;
  FILE *file;
  int line;
  bool failed;
  int failed_line;
  bool skip; /* true in a section that does not select cases, such as [tags] in run.ini */
  bool in_section;
  struct map sections; /* index of the sections by name; the value is the section's line */
  struct seen *keys;   /* keys of the current section */
  size_t key_count;
  struct selection *selections;
  /* before: number of selections of earlier suites, which come first in `selections`; count: number of all selections
   */
  size_t before, count;
  struct err *err;
};

/* ---- Reading lines ---- */

static int refuse_line(struct suite *suite, int line) {
  suite->failed = true;
  suite->failed_line = line;
  return err_context(suite->err, "%s:%d", suite->path, line);
}

/* Returns the line on which `name` was seen before; otherwise remembers it and returns 0. */
static int seen_before(struct seen **list, size_t *count, const char *name, int line) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp((*list)[i].name, name) == 0) return (*list)[i].line;
  *list = xrealloc(*list, *count + 1, sizeof **list);
  (*list)[(*count)++] = (struct seen){xstrdup(name), line};
  return 0;
}

static void forget_seen(struct seen **list, size_t *count) {
  for (size_t i = 0; i < *count; i++)
    free((*list)[i].name);
  free(*list);
  *list = NULL;
  *count = 0;
}

static void add_section(struct suite *suite, const char *name) {
  char origin[4096 + SECTION_LONGEST + 4];
  snprintf(origin, sizeof origin, "%.4095s [%s]", suite->path, name);
  suite->selections = xgrow(suite->selections, suite->count, sizeof *suite->selections);
  selection_init(&suite->selections[suite->count++], origin);
}

static int section_found(struct suite *suite, const char *line) {
  const char *end = strchr(line, ']');
  if (end == NULL) return 0; /* inih refuses such a line */
  size_t length = (size_t)(end - line - 1), rest = strspn(end + 1, " \t\r\n");
  if (length == 0 || length > SECTION_LONGEST)
    return err_set(suite->err, EXIT_USAGE, "a section name has 1 to %d bytes, this one %zu", SECTION_LONGEST, length);
  if (end[1 + rest] != '\0' && end[1 + rest] != ';' && end[1 + rest] != '#')
    return err_set(suite->err, EXIT_USAGE, "text after '[%.*s]'", (int)length, line + 1);
  char name[SECTION_LONGEST + 1];
  text_copy(name, length + 1, line + 1);
  const char *key[] = {name};
  const size_t former = map_get(&suite->sections, key, 1);
  if (former != MAP_NONE) return err_set(suite->err, EXIT_USAGE, "section [%s] repeats line %zu", name, former);
  map_put(&suite->sections, key, 1, (size_t)suite->line);
  if (suite->sections.count > SECTIONS_MAX)
    return err_set(suite->err, EXIT_USAGE, "more than %d sections", SECTIONS_MAX);
  forget_seen(&suite->keys, &suite->key_count);
  suite->in_section = true;
  suite->skip = strcmp(name, "environment") == 0 || strcmp(name, "tags") == 0;
  if (!suite->skip) add_section(suite, name);
  return 0;
}

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* Reads one line without its indentation, in the form of fgets(). */
static int read_suite_line(struct suite *suite, char *to, size_t size) {
  size_t used = 0;
  int c;
  suite->line++;
  while ((c = getc(suite->file)) != EOF && c != '\n') {
    if (c == '\0') return err_set(suite->err, EXIT_USAGE, "a NUL byte: is this a text file?");
    if (used == 0 && (c == ' ' || c == '\t')) continue;
    if (used + 2 >= size) return err_set(suite->err, EXIT_USAGE, "line longer than %zu bytes", size - 2);
    to[used++] = (char)c;
  }
  to[used] = '\n';
  to[used + 1] = '\0';
  if (c == EOF && used == 0) to[0] = '\0';
  if (suite->line == 1 && strncmp(to, byte_order_mark, 3) == 0) memmove(to, to + 3, strlen(to + 3) + 1);
  return to[0] == '[' ? section_found(suite, to) : 0;
}

static char *reader(char *to, int size, void *user) {
  struct suite *suite = user;
  if (suite->failed) return NULL;
  if (read_suite_line(suite, to, (size_t)size)) {
    refuse_line(suite, suite->line);
    return NULL;
  }
  return to[0] != '\0' ? to : NULL;
}

/* ---- Reading keys ---- */

enum key_kind { KEY_LIST, KEY_PLUGINS, KEY_CASES, KEY_PRECISION, KEY_TIME, KEY_MODES, KEY_FEW };

static const struct key {
  const char *name;
  enum key_kind kind;
  size_t offset; /* offset of the value in struct selection */
} keys[] = {
    {"plugin", KEY_PLUGINS, offsetof(struct selection, plugins)},
    {"bench", KEY_LIST, offsetof(struct selection, benches)},
    {"variant", KEY_LIST, offsetof(struct selection, variants)},
    {"exclude", KEY_LIST, offsetof(struct selection, excludes)},
    {"preset", KEY_LIST, offsetof(struct selection, presets)},
    {"baseline", KEY_LIST, offsetof(struct selection, baselines)},
    {"case", KEY_CASES, offsetof(struct selection, cases)},
    {"option", KEY_LIST, offsetof(struct selection, settings)},
    {"mode", KEY_MODES, offsetof(struct selection, modes)},
    {"precision", KEY_PRECISION, offsetof(struct selection, precision)},
    {"restarts", KEY_FEW, offsetof(struct selection, restarts)},
    {"require", KEY_LIST, offsetof(struct selection, requires)},
    {"case_time", KEY_TIME, offsetof(struct selection, case_time_s)},
    {"max_time", KEY_TIME, offsetof(struct selection, max_time_s)},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static const char axis_prefix[] = "axis.";

/* Adds a plugin whose path is relative to the suite's folder. If the folder's name contains '=', adds the prefix "./",
 * because the text before the '=' would be taken for a label otherwise. */
static void add_suite_plugin(struct suite *suite, struct strings *list, const char *typed) {
  char label[ID_SIZE];
  const char *slash = strrchr(suite->path, '/'), *file = label_split(typed, label);
  if (strchr(file, '/') == NULL || file[0] == '/' || slash == NULL) {
    strings_add(list, typed);
    return;
  }
  bool bare = label[0] == '\0' && strchr("./", suite->path[0]) == NULL;
  size_t folder = (size_t)(slash - suite->path) + 1, size = ID_SIZE + 4 + folder + strlen(file);
  SCOPED char *path = xcalloc(size, 1), *whole = xcalloc(size, 1);
  snprintf(path, size, "%s%.*s%s", bare ? "./" : "", (int)folder, suite->path, file);
  label_join(whole, size, label, path);
  strings_add(list, whole);
}

/* Returns the length of the first item of a list: up to a comma; in lists of cases up to a comma outside brackets. */
static size_t item_length(const char *text, bool brackets) {
  size_t length = 0;
  for (int depth = 0; text[length] != '\0' && (text[length] != ',' || depth > 0); length++) {
    if (brackets && text[length] == '[') depth++;
    if (brackets && text[length] == ']' && depth > 0) depth--;
  }
  return length;
}

static char *copy_trimmed(const char *text, size_t length) {
  while (length > 0 && strchr(" \t", *text) != NULL) {
    text++;
    length--;
  }
  while (length > 0 && strchr(" \t", text[length - 1]) != NULL)
    length--;
  return memory_print("%.*s", (int)length, text);
}

static int set_list(struct suite *suite, const struct key *key, struct strings *list, const char *value) {
  for (const char *at = value;; at++) {
    size_t length = item_length(at, key->kind == KEY_CASES);
    char *item = copy_trimmed(at, length);
    bool empty = item[0] == '\0';
    if (key->kind != KEY_CASES) text_percent_decode(item);
    if (!empty && key->kind == KEY_PLUGINS)
      add_suite_plugin(suite, list, item);
    else if (!empty)
      strings_add(list, item);
    free(item);
    if (empty) return err_set(suite->err, EXIT_USAGE, "key '%s' has an empty item in '%.200s'", key->name, value);
    at += length;
    if (*at == '\0') return 0;
  }
}

static int set_axis(struct suite *suite, struct selection *selection, const char *name, const char *value) {
  const char *axis = name + strlen(axis_prefix);
  if (axis[0] == '\0' || strchr(axis, '=') != NULL)
    return err_set(suite->err, EXIT_USAGE, "key '%.80s' names no axis", name);
  SCOPED char *text = memory_print("%s=%s", axis, value);
  text_percent_decode(text + strlen(axis) + 1);
  strings_add(&selection->axes, text);
  return 0;
}

static int unknown_suite_key(struct suite *suite, const char *name) {
  const char *names[KEY_COUNT + 1];
  for (size_t i = 0; i < KEY_COUNT; i++)
    names[i] = keys[i].name;
  names[KEY_COUNT] = "axis.NAME";
  const char *nearest = text_nearest(name, names, KEY_COUNT + 1);
  if (nearest != NULL) return err_set(suite->err, EXIT_USAGE, "unknown key '%.80s'; nearest '%s'", name, nearest);
  char all[256];
  text_join(all, sizeof all, names, KEY_COUNT + 1);
  return err_set(suite->err, EXIT_USAGE, "unknown key '%.80s'; there are %s", name, all);
}

static int set_suite_key(struct suite *suite, const struct key *key, const char *value) {
  struct selection *selection = &suite->selections[suite->count - 1];
  void *to = (char *)selection + key->offset;
  switch (key->kind) {
    case KEY_LIST:
    case KEY_PLUGINS:
    case KEY_CASES:
      return set_list(suite, key, to, value);
    case KEY_PRECISION:
      return quantity_precision(key->name, value, to, suite->err);
    case KEY_TIME:
      return quantity_time(key->name, value, to, suite->err);
    case KEY_MODES:
      return mode_take(to, key->name, value, suite->err);
    case KEY_FEW:
      return quantity_count(key->name, value, 100, to, suite->err);
  }
  return -1;
}

static int key_found(struct suite *suite, const char *name, const char *value) {
  if (suite->skip) return 0;
  if (!suite->in_section) return err_set(suite->err, EXIT_USAGE, "key '%.80s' comes before any [section]", name);
  bool axis = strncmp(name, axis_prefix, strlen(axis_prefix)) == 0;
  const struct key *key = NULL;
  for (size_t i = 0; i < KEY_COUNT; i++)
    if (strcmp(name, keys[i].name) == 0) key = &keys[i];
  if (key == NULL && !axis) return unknown_suite_key(suite, name);
  int former = seen_before(&suite->keys, &suite->key_count, name, suite->line);
  if (former) return err_set(suite->err, EXIT_USAGE, "key '%.80s' repeats line %d", name, former);
  if (suite->key_count > KEYS_MAX) return err_set(suite->err, EXIT_USAGE, "more than %d keys in a section", KEYS_MAX);
  if (value == NULL || value[0] == '\0') return err_set(suite->err, EXIT_USAGE, "key '%.80s' has no value", name);
  if (axis) return set_axis(suite, &suite->selections[suite->count - 1], name, value);
  return set_suite_key(suite, key, value);
}

static int handler(void *user, const char *section, const char *name, const char *value) {
  (void)section; /* read_suite_line() has handled the section already, because inih does not report sections without
                    keys */
  struct suite *suite = user;
  if (suite->failed) return 0;
  if (key_found(suite, name, value) == 0) return 1;
  refuse_line(suite, suite->line);
  return 0;
}

/* ---- Reading a file ---- */

static void set_up_inih(void) {
#ifdef HAVE_INIH_GLOBALS
  ini_max_line = LINE_LONGEST;
  ini_initial_alloc = LINE_LONGEST;
  ini_use_stack = false;
  ini_allow_realloc = false;
  ini_allow_multiline = false;
  ini_stop_on_first_error = true;
#endif
}

static int parse_suite(struct suite *suite) {
  set_up_inih();
  errno = 0;
  int line = ini_parse_stream(reader, suite, handler, suite);
  if (line > 0 && (!suite->failed || line < suite->failed_line)) {
    /* inih may continue after its own error, and then our reader may have set a later error; reports the earlier one
     * instead */
    *suite->err = (struct err){0};
    err_set(suite->err, EXIT_USAGE, "neither 'key = value' nor '[section]'");
    return refuse_line(suite, line);
  }
  if (suite->failed) return -1;
  if (ferror(suite->file)) return err_set(suite->err, EXIT_USAGE, "suite %s: %s", suite->path, strerror(errno));
  if (line < 0) return err_set(suite->err, EXIT_USAGE, "%s: cannot be read (inih: %d)", suite->path, line);
  if (suite->count == suite->before)
    return err_set(suite->err, EXIT_USAGE, "%s: no section: nothing is selected", suite->path);
  return 0;
}

int suite_load(const char *path, struct selection **selections, size_t *count, struct err *err) {
  struct suite suite = {.path = path, .selections = *selections, .before = *count, .count = *count, .err = err};
  int failed = -1;
  suite.file = fopen(path, "re");
  if (suite.file == NULL) {
    err_set(err, EXIT_USAGE, "suite %s: %s", path, strerror(errno));
    goto out;
  }
  failed = parse_suite(&suite);
out:
  if (suite.file != NULL) fclose(suite.file);
  map_free(&suite.sections);
  forget_seen(&suite.keys, &suite.key_count);
  while (failed && suite.count > suite.before)
    selection_free(&suite.selections[--suite.count]);
  if (failed) text_sanitize(err->text);
  *selections = suite.selections;
  *count = suite.count;
  return failed;
}
