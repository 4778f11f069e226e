/* Contract ids against what is offered. */
#include "plan/guests.h"

#include "base/memory.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to and with the last '/', behind which the version stands. */
static size_t stem(const char *contract) {
  const char *slash = strrchr(contract, '/');
  return slash != NULL ? (size_t)(slash - contract) + 1 : 0;
}

static bool is_version_of(const char *a, const char *b) {
  return stem(a) > 0 && stem(a) == stem(b) && strncmp(a, b, stem(a)) == 0;
}

/* Without whose it is: "matmul/gemm/1". What all have in common says nothing of how near they are. */
static const char *tail(const char *contract) {
  const char *slash = strchr(contract, '/');
  return slash != NULL && strchr(slash + 1, '/') != NULL ? slash + 1 : contract;
}

static const struct lineup *find(const struct lineups *lineups, const char *contract,
                                 bool (*is)(const char *, const char *)) {
  for (size_t i = 0; i < lineups->count; i++)
    if (is(lineups->items[i].desc->contract, contract) || is(lineups->items[i].id, contract)) return &lineups->items[i];
  return NULL;
}

static bool is_same(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

static const struct lineup *find_near(const struct lineups *lineups, const char *contract) {
  const char **names = xcalloc(2 * lineups->count, sizeof *names);
  for (size_t i = 0; i < lineups->count; i++) {
    names[2 * i] = tail(lineups->items[i].desc->contract);
    names[2 * i + 1] = lineups->items[i].id;
  }
  const char *nearest = text_nearest(tail(contract), names, 2 * lineups->count);
  const struct lineup *found = NULL;
  for (size_t i = 0; nearest != NULL && found == NULL && i < 2 * lineups->count; i++)
    if (names[i] == nearest) found = &lineups->items[i / 2];
  free(names);
  return found;
}

const struct lineup *guests_nearest(const struct lineups *lineups, const char *contract) {
  const struct lineup *found = find(lineups, contract, is_same);
  if (found == NULL) found = find(lineups, contract, is_version_of);
  return found != NULL ? found : find_near(lineups, contract);
}

void guests_offered(const struct catalog *catalog, const struct lineups *lineups, const char *contract, char *to,
                    size_t size) {
  const struct lineup *nearest = guests_nearest(lineups, contract);
  text_copy(to, size, nearest != NULL && !is_version_of(nearest->desc->contract, contract) ? "nearest: " : "loaded: ");
  if (lineups->count == 0) text_copy(to, size, "no bench is loaded");
  for (size_t i = 0, count = 0; i < lineups->count; i++) {
    const struct lineup *lineup = &lineups->items[i];
    size_t used = strlen(to);
    if (nearest != NULL && lineup != nearest) continue;
    snprintf(to + used, size - used, "%s%s (from %s)", count++ > 0 ? ", " : "", lineup->desc->contract,
             catalog->plugins[lineup->plugin].desc.id);
  }
}

static bool is_offered(const struct lineups *lineups, const char *contract) {
  for (size_t i = 0; i < lineups->count; i++)
    if (is_same(lineups->items[i].desc->contract, contract)) return true;
  return false;
}

static bool is_homeless(const struct lineups *lineups, const struct variant_desc *variant) {
  return variant->bench < 0 && !is_offered(lineups, variant->contract);
}

/* The first of its variants that has no home, where none has one. */
static const struct variant_desc *find_lost(const struct lineups *lineups, const struct catalog_plugin *plugin) {
  for (size_t v = 0; v < plugin->desc.variant_count; v++)
    if (!is_homeless(lineups, &plugin->variants[v])) return NULL;
  return plugin->desc.variant_count > 0 ? &plugin->variants[0] : NULL;
}

int guests_check(const struct catalog *catalog, const struct lineups *lineups, const char **contract, struct err *err) {
  *contract = NULL;
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    const struct variant_desc *lost = find_lost(lineups, plugin);
    char offered[900];
    if (lost == NULL) continue;
    *contract = lost->contract;
    guests_offered(catalog, lineups, *contract, offered, sizeof offered);
    err_set(err, EXIT_USAGE, "plugin '%s' attaches to contract %s; %s", plugin->desc.id, *contract, offered);
    return err_about(err, PLAN_NO_OWNER);
  }
  return 0;
}

void guests_left_out(const struct catalog *catalog, const struct lineups *lineups, struct strings *lines) {
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      const struct variant_desc *variant = &plugin->variants[v];
      char offered[900], line[sizeof offered + 2 * TEXT_SIZE];
      if (!is_homeless(lineups, variant)) continue;
      guests_offered(catalog, lineups, variant->contract, offered, sizeof offered);
      snprintf(line, sizeof line, "plugin '%s' attaches also to contract %s, which nobody offers here; %s",
               plugin->desc.id, variant->contract, offered);
      strings_add_once(lines, line);
    }
  }
}
