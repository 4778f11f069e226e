/* Guests: of which bench, and their source where the SDK has none that fits. */
#include "commands/new_guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/describe.h"
#include "base/memory.h"
#include "commands/contract_forms.h"
#include "commands/loaded.h"
#include "plan/lineup.h"
#include "worker/signals.h"

/* Who has to be meant by name to run at all is not meant by a plugin's. */
static bool is_by_name(const struct new_host *host, const struct lineup *lineup) {
  return (host->catalog.plugins[lineup->plugin].benches[lineup->bench].flags & BENCH_BY_NAME) != 0;
}

static size_t find_named(const struct new_host *host, const char *name, bool whole, const char **ids,
                         const struct lineup **last) {
  size_t count = 0, usual = 0;
  const struct lineup *last_usual = NULL;
  for (size_t i = 0; i < host->lineups.count; i++) {
    const struct lineup *lineup = &host->lineups.items[i];
    if (name != NULL && !loaded_is_named(&host->catalog, lineup, name, whole, text_same)) continue;
    ids[count++] = lineup->id;
    *last = lineup;
    if (is_by_name(host, lineup)) continue;
    usual++;
    last_usual = lineup;
  }
  if (usual != 1 || name == NULL) return count;
  *last = last_usual;
  return usual;
}

/* What it could have been. */
static int refuse(const struct new_host *host, const char *name, const char **ids, size_t count, struct err *err) {
  const struct lineup *ignored;
  char list[1400];
  const bool several = count > 0;
  if (!several) count = find_named(host, NULL, false, ids, &ignored);
  const char *nearest = several ? NULL : text_nearest(name, ids, count);
  text_join(list, sizeof list, ids, count);
  return err_set(err, EXIT_USAGE, "new --guest '%.200s' %s%s%s; there %s %s", name,
                 several ? "is more than one contract" : "is no contract here", nearest != NULL ? "; nearest: " : "",
                 text_or_empty(nearest), count == 1 ? "is" : "are",
                 count > 0 ? list : "none: name a plugin by --plugin");
}

/* The path of its plugin goes into a CMakeLists.txt. */
static int check_plugin(const char *path, struct err *err) {
  const char *usual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-@,=~";
  if (path[strspn(path, usual)] == '\0') return 0;
  return err_set(err, EXIT_USAGE, "new --guest: the plugin's path '%.500s' has more than letters, digits and _./+-@,=~",
                 path);
}

int new_host_find(const struct options *options, struct new_host *host, struct err *err) {
  *host = (struct new_host){.lineup = NULL};
  signals_catch();
  if (loaded_describe(options, &host->catalog, err) != 0) return -1;
  lineups_all(&host->catalog, &host->lineups);
  const char **ids = xcalloc(host->lineups.count + 1, sizeof *ids);
  size_t count = find_named(host, options->new.guest, true, ids, &host->lineup);
  if (count == 0) count = find_named(host, options->new.guest, false, ids, &host->lineup);
  int rc = count == 1 ? 0 : refuse(host, options->new.guest, ids, count, err);
  free(ids);
  if (rc != 0) return -1;
  contract_owner(&host->catalog, host->lineup, host->plugin, sizeof host->plugin);
  return check_plugin(host->plugin, err);
}

void new_host_free(struct new_host *host) {
  lineups_free(&host->lineups);
  catalog_free(&host->catalog);
}

static void add_words(char *choice, size_t size, const char *option, const char *value) {
  char word[TEXT_SIZE + EXPR_SIZE] = "";
  size_t used = strlen(choice);
  text_shell_add(word, sizeof word, value);
  snprintf(choice + used, size - used, " %s %s", option, word);
}

void new_host_choose(const struct options *options, const struct new_host *host, char *choice, size_t size) {
  size_t benches = 0;
  for (size_t i = 0; i < host->lineups.count; i++)
    benches += host->lineups.items[i].plugin == host->lineup->plugin;
  choice[0] = '\0';
  if (benches > 1) add_words(choice, size, "--bench", host->lineup->id);
  if (strcmp(options->new.lang, "cuda") == 0) add_words(choice, size, "--device", "cuda");
}

static void choose_types(const struct contract *contract, char *choice, size_t size) {
  for (uint32_t a = 0; a < contract->point.count; a++) {
    const struct axis_value *value = &contract->point.values[a];
    char setting[TEXT_SIZE + EXPR_SIZE];
    if (!contract_axis_types(contract, a)) continue;
    snprintf(setting, sizeof setting, "%s=%s", value->name, value->str);
    add_words(choice, size, "-a", setting);
  }
}

int new_host_skeleton(const struct options *options, const struct new_host *host, const char *path, char *choice,
                      size_t size, struct err *err) {
  const struct skeleton wanted = {.lang = options->new.lang, .name = options->arguments.items[0]};
  struct contract contract = {0};
  if (loaded_learn(options, &host->catalog, host->lineup, &contract, err) != 0) return -1;
  if (contract.why[0] == '\0') choose_types(&contract, choice, size);
  FILE *out = fopen(path, "wx");
  if (out != NULL && strcmp(options->new.lang, "python") == 0)
    contract_python(&contract, &wanted, out);
  else if (out != NULL)
    contract_skeleton(&host->catalog, &contract, &wanted, out);
  contract_free(&contract);
  if (out != NULL && fclose(out) == 0) return 0;
  return err_set(err, EXIT_FAILED, "new: '%.500s' cannot be written: %s", path, strerror(errno));
}
