/* Contract ids against what is offered. */
#include "plan/guests.h"

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

static const struct view *find(const struct views *views, const char *contract,
                               bool (*is)(const char *, const char *)) {
  for (size_t i = 0; i < views->count; i++)
    if (is(views->items[i].desc->contract, contract) || is(views->items[i].id, contract)) return &views->items[i];
  return NULL;
}

static bool is_same(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

static const struct view *find_near(const struct views *views, const char *contract) {
  const char **names = xcalloc(2 * views->count, sizeof *names);
  for (size_t i = 0; i < views->count; i++) {
    names[2 * i] = tail(views->items[i].desc->contract);
    names[2 * i + 1] = views->items[i].id;
  }
  const char *nearest = text_nearest(tail(contract), names, 2 * views->count);
  const struct view *found = NULL;
  for (size_t i = 0; nearest != NULL && found == NULL && i < 2 * views->count; i++)
    if (names[i] == nearest) found = &views->items[i / 2];
  free(names);
  return found;
}

const struct view *guests_nearest(const struct views *views, const char *contract) {
  const struct view *found = find(views, contract, is_same);
  if (found == NULL) found = find(views, contract, is_version_of);
  return found != NULL ? found : find_near(views, contract);
}

void guests_offered(const struct catalog *catalog, const struct views *views, const char *contract, char *to,
                    size_t size) {
  const struct view *nearest = guests_nearest(views, contract);
  text_copy(to, size, nearest != NULL && !is_version_of(nearest->desc->contract, contract) ? "nearest: " : "loaded: ");
  if (views->count == 0) text_copy(to, size, "no bench is loaded");
  for (size_t i = 0, count = 0; i < views->count; i++) {
    const struct view *view = &views->items[i];
    size_t used = strlen(to);
    if (nearest != NULL && view != nearest) continue;
    snprintf(to + used, size - used, "%s%s (from %s)", count++ > 0 ? ", " : "", view->desc->contract,
             catalog->plugins[view->plugin].desc.id);
  }
}

static bool is_offered(const struct views *views, const char *contract) {
  for (size_t i = 0; i < views->count; i++)
    if (is_same(views->items[i].desc->contract, contract)) return true;
  return false;
}

int guests_check(const struct catalog *catalog, const struct views *views, const char **contract, struct err *err) {
  *contract = NULL;
  for (size_t p = 0; p < catalog->count; p++) {
    const struct catalog_plugin *plugin = &catalog->plugins[p];
    for (size_t v = 0; v < plugin->desc.variant_count; v++) {
      char offered[900];
      if (plugin->variants[v].bench >= 0 || is_offered(views, plugin->variants[v].contract)) continue;
      *contract = plugin->variants[v].contract;
      guests_offered(catalog, views, *contract, offered, sizeof offered);
      return err_set(err, EXIT_USAGE, "plugin '%s' attaches to contract %s; %s", plugin->desc.id, *contract, offered);
    }
  }
  return 0;
}
