/* DIR/jobs/command: what is not known from the run.ini of a job that did not begin. A line per word, percent-encoded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/tree.h"
#include "jobs/state.h"

enum { WORD_SIZE = 3 * PATH_MAX };

static void put(FILE *out, const char *what, const char *value) {
  char text[WORD_SIZE];
  text_percent_encode(text, sizeof text, value, "");
  fprintf(out, "%s %s\n", what, text);
}

static char *path_of(const struct jobs *jobs) {
  return memory_print("%s/command", jobs->folder);
}

int words_keep(const struct jobs *jobs, struct err *err) {
  struct memory_text writing;
  FILE *out = memory_text_begin(&writing);
  put(out, "in", jobs->begun_in);
  for (size_t i = 0; i < jobs->count; i++)
    put(out, "device", jobs->items[i].device);
  for (size_t i = 0; i < jobs->words.count; i++)
    put(out, "word", jobs->words.items[i]);
  char *text = memory_text_end(&writing), *path = path_of(jobs);
  const int rc = tree_write(path, text, writing.size, err);
  free(path);
  free(text);
  return rc;
}

static void take(struct jobs *jobs, const char *what, const char *value) {
  if (strcmp(what, "in") == 0) text_copy(jobs->begun_in, sizeof jobs->begun_in, value);
  if (strcmp(what, "word") == 0) strings_add(&jobs->words, value);
  if (strcmp(what, "device") != 0 || jobs->count == JOBS_MAX) return;
  jobs->items = xgrow(jobs->items, jobs->count, sizeof *jobs->items);
  jobs->items[jobs->count++] = (struct job){.device = xstrdup(value), .uuid = xstrdup("")};
}

int words_recall(struct jobs *jobs, struct err *err) {
  char *path = path_of(jobs), *line = NULL;
  size_t size = 0;
  FILE *in = fopen(path, "re");
  while (in != NULL && getline(&line, &size, in) > 0) {
    line[strcspn(line, "\n")] = '\0';
    char *value = strchr(line, ' ');
    if (value == NULL) continue;
    *value++ = '\0';
    text_percent_decode(value);
    take(jobs, line, value);
  }
  free(line);
  if (in != NULL) fclose(in);
  const int rc = jobs->count > 0 && jobs->words.count > 0
                     ? 0
                     : err_set(err, EXIT_USAGE, "%.300s is no command of a run with --jobs", path);
  free(path);
  return rc;
}
