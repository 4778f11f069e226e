#include "commands/stored.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/find.h"
#include "record/run_data.h"

static void read_run(const char *path, const char *latest, struct stored_run *run) {
  const char *slash = strrchr(path, '/');
  struct err unreadable = {0};
  struct run_data ini;
  *run = (struct stored_run){.name = xstrdup(slash != NULL ? slash + 1 : path)};
  run_data_load_ini(path, &ini, &unreadable);
  run->environment = ini.environment;
  ini.environment = (struct pairs){0};
  run_data_free(&ini);
  const char *paths[] = {path, latest};
  run->latest = latest != NULL && run_data_check_different(paths, 2, &unreadable) != 0;
}

void stored_runs_read(size_t most, struct stored_runs *runs) {
  struct strings paths = {0};
  struct err none = {0};
  find_all(&paths);
  SCOPED char *latest = paths.count != 0 ? find_run("latest", &none) : NULL;
  *runs = (struct stored_runs){.items = xcalloc(paths.count, sizeof *runs->items)};
  for (; runs->count < paths.count && runs->count < most; runs->count++)
    read_run(paths.items[runs->count], latest, &runs->items[runs->count]);
  runs->rest = paths.count - runs->count;
  strings_free(&paths);
}

void stored_runs_free(struct stored_runs *runs) {
  for (size_t i = 0; i < runs->count; i++) {
    free(runs->items[i].name);
    pairs_free(&runs->items[i].environment);
  }
  free(runs->items);
  *runs = (struct stored_runs){0};
}
