/* Looks for a contract (the versioned name of what a bench asks of its variants) among the plugins that can be given by
 * name alone, without a path. */
#include "ask/find_contract.h"

#include <stdio.h>
#include <string.h>

#include "ask/describe.h"
#include "plan/lineup.h"
#include "worker/signals.h"

static bool is_in_catalog(const struct catalog *catalog, const char *path) {
  for (size_t i = 0; i < catalog->count; i++)
    if (strcmp(catalog->plugins[i].path, path) == 0) return true;
  return false;
}

/* Describes the plugins that can be given by name alone and that the catalog lacks. Ignores those that are refused or
 * crash. */
static void describe_others(const struct catalog *catalog, double timeout_s, struct catalog *others) {
  SCOPED_STRINGS struct strings names = {0};
  loader_available(&names);
  for (size_t i = 0; i < names.count && !signals_asked_to_finish(); i++) {
    char path[sizeof catalog->plugins->path];
    struct err refusal = {0};
    size_t index;
    if (loader_find(names.items[i], path, sizeof path, &refusal) != 0 || is_in_catalog(catalog, path)) continue;
    describe_plugin(others, names.items[i], LOADER_FOUND, timeout_s, &index, &refusal);
  }
}

static void append_reason(struct err *err, const char *before, const char *text) {
  size_t used = strlen(err->text);
  snprintf(err->text + used, sizeof err->text - used, "%s%.300s", before, text);
}

/* Appends to the message which plugin offers the contract ("; matmul.so offers it: add --plugin matmul.so"), or which
 * contract has the most similar name. */
static void add_offer(const struct catalog *catalog, const char *contract, double timeout_s, struct err *err) {
  struct catalog others = {0};
  struct lineups lineups;
  describe_others(catalog, timeout_s, &others);
  lineups_all(&others, &lineups);
  const struct lineup *lineup = guests_nearest(&lineups, contract);
  if (lineup != NULL && others.plugins != NULL) {
    const char *file = text_file_name(others.plugins[lineup->plugin].path);
    bool exact = strcmp(lineup->desc->contract, contract) == 0 || strcmp(lineup->id, contract) == 0;
    append_reason(err, "; ", file);
    append_reason(err, " offers ", exact ? "it" : lineup->desc->contract);
    append_reason(err, ": add --plugin ", file);
  }
  lineups_free(&lineups);
  catalog_free(&others);
}

static void warn_of_left_out(const struct catalog *catalog, const struct lineups *lineups, FILE *out) {
  SCOPED_STRINGS struct strings lines = {0};
  guests_left_out(catalog, lineups, &lines);
  for (size_t i = 0; i < lines.count; i++) {
    text_sanitize(lines.items[i]);
    fprintf(out, "gpubench: warning: %s\n", lines.items[i]);
  }
}

int find_contract_check_guests(const struct catalog *catalog, double timeout_s, FILE *warnings, struct err *err) {
  struct lineups lineups;
  const char *contract;
  lineups_all(catalog, &lineups);
  int rc = guests_check(catalog, &lineups, &contract, err);
  if (rc == 0) warn_of_left_out(catalog, &lineups, warnings);
  if (rc != 0) add_offer(catalog, contract, timeout_s, err);
  if (rc != 0) text_sanitize(err->text);
  lineups_free(&lineups);
  return rc;
}

/* Returns the path of the plugin that offers the contract, or NULL. */
static const char *file_offering(const struct catalog *others, const char *contract) {
  for (size_t p = 0; p < others->count; p++)
    for (uint32_t b = 0; b < others->plugins[p].desc.bench_count; b++)
      if (strcmp(others->plugins[p].benches[b].contract, contract) == 0) return others->plugins[p].path;
  return NULL;
}

void find_contract_load(struct catalog *catalog, double timeout_s) {
  struct catalog others = {0};
  SCOPED_STRINGS struct strings wanted = {0};
  for (size_t p = 0; p < catalog->count; p++)
    for (uint32_t v = 0; v < catalog->plugins[p].desc.variant_count; v++)
      if (file_offering(catalog, catalog->plugins[p].variants[v].contract) == NULL)
        strings_add(&wanted, catalog->plugins[p].variants[v].contract);
  if (wanted.count > 0) describe_others(catalog, timeout_s, &others);
  for (size_t i = 0; i < wanted.count; i++) {
    const char *path = file_offering(catalog, wanted.items[i]) == NULL ? file_offering(&others, wanted.items[i]) : NULL;
    struct err refusal = {0};
    size_t index;
    if (path != NULL) describe_plugin(catalog, path, LOADER_FOUND, timeout_s, &index, &refusal);
  }
  catalog_free(&others);
}

int find_contract_unknown(const struct catalog *catalog, const char *contract, double timeout_s, struct err *err) {
  struct lineups lineups;
  char offered[900];
  lineups_all(catalog, &lineups);
  guests_offered(catalog, &lineups, contract, offered, sizeof offered);
  err_set(err, EXIT_USAGE, "--contract '%.200s' matches nothing; %s", contract, offered);
  add_offer(catalog, contract, timeout_s, err);
  text_sanitize(err->text);
  lineups_free(&lineups);
  return -1;
}
