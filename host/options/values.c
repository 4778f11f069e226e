/* Parses the values of options, and writes them as text for run.ini. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/mode.h"
#include "options/table.h"

static void set_option_text(char **to, const char *text) {
  free(*to);
  *to = xstrdup(text);
}

static int take_name(char **to, const char *what, const char *text, struct err *err) {
  if (!text_is_id(text) || strchr(text, '/') != NULL)
    return err_set(err, EXIT_USAGE, "%s '%.80s': letters, digits, '.', '_' and '-', at most %d", what, text,
                   ID_SIZE - 1);
  set_option_text(to, text);
  return 0;
}

/* Takes one of the words in `choices`, such as "auto|always|never". */
static int take_word(char **to, const char *what, const char *text, const char *choices, struct err *err) {
  for (const char *at = choices; at != NULL; at = strchr(at, '|')) {
    at += *at == '|';
    size_t length = strcspn(at, "|");
    if (strlen(text) != length || strncmp(at, text, length) != 0) continue;
    set_option_text(to, text);
    return 0;
  }
  return err_set(err, EXIT_USAGE, "%s '%.64s' is not one of %s", what, text, choices);
}

static int take_axis_option(struct strings *list, const char *what, const char *text, struct err *err) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0')
    return err_set(err, EXIT_USAGE, "%s '%.200s' is not NAME=VALUES", what, text);
  strings_add(list, text);
  return 0;
}

static int take_tag(struct strings *tags, const char *what, const char *text, struct err *err) {
  char key[ID_SIZE + 1];
  size_t length = strcspn(text, "=");
  text_copy(key, length < sizeof key ? length + 1 : sizeof key, text);
  if (text[length] == '\0' || !text_is_id(key))
    return err_set(err, EXIT_USAGE, "%s '%.200s' is not KEY=VALUE", what, text);
  for (size_t i = 0; i < tags->count; i++)
    if (strncmp(tags->items[i], text, length + 1) == 0)
      return err_set(err, EXIT_USAGE, "%s '%s' is given twice: '%.200s' and '%.200s'", what, key,
                     tags->items[i] + length + 1, text + length + 1);
  strings_add(tags, text);
  return 0;
}

static int take_setting_option(struct strings *list, const char *what, const char *text, struct err *err) {
  size_t length = strcspn(text, "="), dot = strcspn(text, ".");
  if (text[length] == '\0' || dot == 0 || dot + 1 >= length)
    return err_set(err, EXIT_USAGE, "%s '%.200s' is not PLUGIN.NAME=VALUE", what, text);
  strings_add(list, text);
  return 0;
}

static int take_item(const struct option_desc *desc, struct strings *list, const char *what, const char *text,
                     struct err *err) {
  switch (desc->kind) {
    case KIND_AXIS:
      return take_axis_option(list, desc->letter ? "-a" : what, text, err);
    case KIND_TAG:
      return take_tag(list, what, text, err);
    case KIND_SETTING:
      return take_setting_option(list, what, text, err);
    case KIND_MODES:
      return mode_take(list, what, text, err);
    default: /* KIND_LIST: any word is allowed */
      strings_add(list, text);
      return 0;
  }
}

static int take_quantity(const struct option_desc *desc, void *to, const char *what, const char *text,
                         struct err *err) {
  switch (desc->kind) {
    case KIND_TIME:
      return quantity_time(what, text, to, err);
    case KIND_SHARE:
      return quantity_share(what, text, to, err);
    case KIND_PRECISION:
      return quantity_precision(what, text, to, err);
    case KIND_SEED:
      return quantity_seed(what, text, to, err);
    case KIND_BYTES:
      return quantity_bytes(what, text, to, err);
    case KIND_SHARD:
      return quantity_part(what, text, SHARDS_MAX, &((struct shard *)to)->number, &((struct shard *)to)->of, err);
    default: /* KIND_FEW, KIND_MANY */
      return quantity_count(what, text, desc->kind == KIND_FEW ? 100 : 1000000, to, err);
  }
}

int option_take(struct options *options, const struct option_desc *desc, const char *text, struct err *err) {
  char what[ID_SIZE];
  void *to = (char *)options + desc->offset;
  snprintf(what, sizeof what, "--%s", desc->name);
  if (desc->argument != NULL && text[0] == '\0')
    return err_set(err, EXIT_USAGE, "%s needs %s; it is empty", what, desc->argument);
  switch (desc->kind) {
    case KIND_FLAG:
      *(bool *)to = true;
      return 0;
    case KIND_COUNT:
      ++*(int *)to;
      return 0;
    case KIND_TEXT:
    case KIND_FILE:
      set_option_text(to, text);
      return 0;
    case KIND_NAME:
      return take_name(to, what, text, err);
    case KIND_WORD:
      return take_word(to, what, text, desc->argument, err);
    case KIND_LIST:
    case KIND_AXIS:
    case KIND_TAG:
    case KIND_SETTING:
    case KIND_MODES:
      return take_item(desc, to, what, text, err);
    case KIND_HELP:
      options->about = options->command;
      options->command = COMMAND_HELP;
      return 0;
    case KIND_VERSION:
      options->command = COMMAND_VERSION;
      return 0;
    default:
      return take_quantity(desc, to, what, text, err);
  }
}

/* ---- Reading and writing one option, for run.ini and resumed runs ---- */

const char *options_name(size_t option) {
  return option < option_count ? option_table[option].name : NULL;
}

bool options_is_noted(size_t option) {
  return (option_table[option].commands & (KEPT | NOTED)) != 0;
}

bool options_is_kept(size_t option) {
  return (option_table[option].commands & KEPT) != 0;
}

bool options_is_beside_resume(size_t option) {
  return (option_table[option].commands & BESIDE) != 0 || option_table[option].kind == KIND_FILE;
}

static void join_list(const struct strings *list, char *to, size_t size) {
  to[0] = '\0';
  for (size_t i = 0; i < list->count; i++) {
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s%s", i > 0 ? "," : "", list->items[i]);
  }
}

void options_text(const struct options *options, size_t option, char *to, size_t size) {
  const void *value = (const char *)options + option_table[option].offset;
  const char *text = NULL;
  to[0] = '\0';
  switch (option_table[option].kind) {
    case KIND_FLAG:
      text_copy(to, size, *(const bool *)value ? "1" : "");
      return;
    case KIND_TIME:
    case KIND_SHARE:
    case KIND_PRECISION:
    case KIND_BYTES:
      if (!isnan(*(const double *)value)) text_shortest(to, size, *(const double *)value);
      return;
    case KIND_SEED:
      snprintf(to, size, "%llu", (unsigned long long)*(const uint64_t *)value);
      return;
    case KIND_FEW:
    case KIND_MANY:
      if (*(const uint32_t *)value > 0) snprintf(to, size, "%u", *(const uint32_t *)value);
      return;
    case KIND_MODES:
      join_list(value, to, size);
      return;
    default: /* kinds whose value is a char *; this is not called for lists */
      text = *(char *const *)value;
      text_copy(to, size, text);
  }
}

int options_set(struct options *options, size_t option, const char *text, struct err *err) {
  return option_take(options, &option_table[option], text, err);
}
