/* Looking for runs where runs are kept. Their directories are called TIME-NAME: the newest is the last by name. */
#include "cmd_find.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text.h"

enum { STAMP = 17 /* 20261121T071503Z- */, SHOWN = 8 };

static const char *parent(void) {
  const char *base = getenv("GPUBENCH_OUT");
  return base != NULL && base[0] != '\0' ? base : "gpubench-out";
}

static char *path_in(const char *dir, const char *name, const char *file) {
  size_t size = strlen(dir) + strlen(name) + strlen(file) + 3;
  char *path = xcalloc(size, 1);
  snprintf(path, size, "%s/%s%s%s", dir, name, file[0] != '\0' ? "/" : "", file);
  return path;
}

static bool exists(const char *dir, const char *name, const char *file) {
  struct stat info;
  char *path = path_in(dir, name, file);
  bool there = stat(path, &info) == 0;
  free(path);
  return there;
}

/* 20261121T071503Z- */
static bool is_dated(const char *name) {
  for (size_t i = 0; i < STAMP; i++) {
    char want = i == 8 ? 'T' : i == 15 ? 'Z' : i == 16 ? '-' : '0';
    if (want == '0' ? name[i] < '0' || name[i] > '9' : name[i] != want) return false;
  }
  return true;
}

static int newest_first(const void *a, const void *b) {
  return strcmp(*(char *const *)b, *(char *const *)a);
}

/* Names of the dated run directories, the newest first. */
static void list_runs(const char *dir, struct strings *runs) {
  DIR *stream = opendir(dir);
  if (stream == NULL) return;
  for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
    if (is_dated(entry->d_name) && exists(dir, entry->d_name, "results.csv")) strings_add(runs, entry->d_name);
  closedir(stream);
  if (runs->count != 0) qsort(runs->items, runs->count, sizeof *runs->items, newest_first);
}

/* Is NAME = VALUE of [environment] in this file? Written by gpubench: one spelling, values percent-encoded. */
static bool says(const char *path, const char *name, const char *value) {
  FILE *in = fopen(path, "r");
  char *line = NULL;
  size_t size = 0, length = strlen(name);
  bool inside = false, found = false;
  while (in != NULL && !found && getline(&line, &size, in) > 0) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '[') inside = strcmp(line, "[environment]") == 0;
    if (!inside || strncmp(line, name, length) != 0 || strncmp(line + length, " = ", 3) != 0) continue;
    text_percent_decode(line + length + 3);
    found = strcmp(line + length + 3, value) == 0;
  }
  free(line);
  if (in != NULL) fclose(in);
  return found;
}

/* Was the run given this name? Its directory's name may be cut, or have a number behind it: run.ini knows. */
static bool has_name(const char *dir, const char *run, const char *name) {
  if (strncmp(run + STAMP, name, strnlen(name, 100)) != 0) return false;
  char *path = path_in(dir, run, "run.ini");
  bool same = says(path, "name", name);
  free(path);
  return same;
}

static const char *pick(const char *dir, const struct strings *runs, const char *what) {
  bool last = strcmp(what, "last") == 0 || strcmp(what, "latest") == 0;
  for (size_t i = 0; i < runs->count; i++)
    if (last || has_name(dir, runs->items[i], what)) return runs->items[i];
  return NULL;
}

static void not_found(const char *dir, const struct strings *runs, const char *what, struct err *err) {
  char list[TEXT_SIZE];
  size_t count = runs->count < SHOWN ? runs->count : SHOWN;
  if (runs->count == 0) {
    err_set(err, EXIT_USAGE, "no run '%.200s': no such file or directory, and there are no runs in %.200s", what, dir);
    return;
  }
  text_join(list, sizeof list, (const char *const *)runs->items, count);
  err_set(err, EXIT_USAGE, "no run '%.200s': no such file or directory, and none of %zu runs in %.200s: %s%s", what,
          runs->count, dir, list, runs->count > count ? ", ..." : "");
}

char *cmd_find_run(const char *what, struct err *err) {
  struct strings runs = {0};
  struct stat info;
  const char *dir = parent();
  char *path = NULL;
  if (stat(what, &info) == 0) return xstrdup(what);
  if (strchr(what, '/') != NULL) {
    err_set(err, EXIT_USAGE, "no run '%.400s': %s", what, strerror(errno));
    return NULL;
  }
  list_runs(dir, &runs);
  const char *found = pick(dir, &runs, what);
  if (found == NULL && exists(dir, what, "results.csv")) found = what;
  if (found != NULL)
    path = path_in(dir, found, "");
  else
    not_found(dir, &runs, what, err);
  strings_free(&runs);
  return path;
}
