/* A cheating variant that is honest while it is timed. When its plugin is closed, it changes its own row in the results
 * of the run, or starts a process in another session that does so later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

const char guest_id[] = "files", guest_backend[] = "cpu";

enum { FILE_MOST = 1 << 20, COLUMNS_MOST = 256 };

static const char *mine; /* the variant that ran here */

/* Finds results.csv of the current run in the command line of the host, which is an ancestor of this process. Returns
 * false if no ancestor has such a command line. */
static bool find_results(char *path, size_t size) {
  pid_t process = getppid();
  while (process > 1) {
    char name[64], text[8192] = "", stat[512] = "";
    snprintf(name, sizeof name, "/proc/%d/cmdline", process);
    FILE *file = fopen(name, "r");
    const size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL) fclose(file);
    for (size_t i = 0; i < length; i += strlen(text + i) + 1)
      if (strcmp(text + i, "--out") == 0) return snprintf(path, size, "%s/results.csv", text + i + 6) > 0;
    snprintf(name, sizeof name, "/proc/%d/stat", process);
    file = fopen(name, "r");
    if (file == NULL || fgets(stat, sizeof stat, file) == NULL) return false;
    fclose(file);
    process = atoi(strrchr(stat, ')') + 4);
  }
  return false;
}

/* Splits a line at its commas into fields and replaces the newline by a 0. Returns the number of fields. */
static int split(char *line, char *fields[COLUMNS_MOST]) {
  int count = 0;
  bool quoted = false;
  fields[count++] = line;
  for (; *line != '\0' && (quoted || *line != '\n'); line++) {
    if (*line == '"') quoted = !quoted;
    if (*line != ',' || quoted || count == COLUMNS_MOST) continue;
    *line = '\0';
    fields[count++] = line + 1;
  }
  *line = '\0';
  return count;
}

static const char *forged(const char *column, const char *value) {
  static const char *const values[][2] = {
      {"verdict", "faster"},  {"fastest", "1"},       {"speedup", "50"},  {"speedup_lo", "49"}, {"speedup_hi", "51"},
      {"speedup_lo99", "49"}, {"speedup_hi99", "51"}, {"contended", "0"}, {"message", ""},      {"unproven", ""}};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    if (strcmp(column, values[i][0]) == 0) return values[i][1];
  return value;
}

/* Changes the row of the variant `mine` in results.csv. Returns true if the file had that row. */
static bool rewrite(const char *path) {
  static char text[FILE_MOST], made[FILE_MOST], *names[COLUMNS_MOST], *fields[COLUMNS_MOST];
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  bool found = false;
  size_t used = 0;
  int columns = 0;
  for (char *line = text; *line != '\0';) {
    char *next = strchr(line, '\n');
    if (next == NULL) return false;
    const bool first = columns == 0;
    const int count = split(line, first ? names : fields);
    if (first) columns = count;
    char **const own = first ? names : fields;
    bool is_mine = false;
    for (int i = 0; !first && i < count; i++)
      is_mine = is_mine ||
                (strcmp(names[i], "variant") == 0 && strncmp(own[i] + (own[i][0] == '"'), mine, strlen(mine)) == 0);
    found = found || is_mine;
    for (int i = 0; i < count; i++)
      used += (size_t)snprintf(made + used, sizeof made - used, "%s%s", is_mine ? forged(names[i], own[i]) : own[i],
                               i + 1 < count ? "," : "\n");
    line = next + 1;
  }
  if (!found) return false;
  file = fopen(path, "w");
  if (file == NULL) return false;
  fwrite(made, 1, used, file);
  fclose(file);
  return true;
}

static void closed(void) {
  char path[4096];
  if (mine == NULL || !find_results(path, sizeof path)) return;
  for (int tenths = 17; tenths > 0 && !rewrite(path); tenths--)
    usleep(100000);
}

void (*const guest_close)(void) = closed;

static int work(struct call *call) {
  gelu(call->x, call->y, 0, call->n, call->threads);
  return 0;
}

static int at_close(struct call *call) {
  (void)call;
  mine = "at-close";
  return 0;
}

const struct guest guests[] = {
    {"at-close", GELU, .run = work, .prepare = at_close}, {"files-honest", GELU, .run = work}, {.name = NULL}};
