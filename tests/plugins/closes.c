/* A plugin whose `close` acts against gpubench. The environment variable CLOSES_HOW says in which way. `close` first
 * appends a line to the file CLOSES_FILE. "rewrite" changes a digit in the last row of the file CLOSES_ROWS, "replace"
 * puts another file in its place, and "child" lets another process change the digit. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simple.h"

static const gb_variant v_good = SIMPLE_BASELINE("good"), v_other = SIMPLE_VARIANT("other", simple_run);
static const gb_variant *const variants[] = {&v_good, &v_other, NULL};
static const gb_bench bench = SIMPLE_BENCH("closes", variants);

static void forge(const char *path) {
  char text[1 << 16];
  FILE *file = fopen(path, "r+");
  size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
  text[size] = '\0';
  const char *header_end = strchr(text, '\n');
  bool forged = false;
  for (size_t i = size; header_end != NULL && !forged && i-- > (size_t)(header_end - text);)
    if (isdigit((unsigned char)text[i])) {
      text[i] = text[i] == '9' ? '8' : '9';
      fseek(file, 0, SEEK_SET);
      fwrite(text, 1, size, file);
      forged = true;
    }
  if (file != NULL) fclose(file);
}

static void replace(const char *path) {
  char other[4096];
  snprintf(other, sizeof other, "%s.other", path);
  FILE *file = fopen(other, "w");
  if (file == NULL) return;
  fputs("status\nok\n", file);
  fclose(file);
  rename(other, path);
}

/* Starts a process in another session, whose parent ends, and which changes the digit. Waits until it has done so. */
static void leave_child(const char *path) {
  int done[2];
  char byte;
  if (pipe(done) != 0) return;
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    forge(path);
    _exit(write(done[1], "", 1) == 1 ? 0 : 1);
  }
  if (read(done[0], &byte, 1) != 1) return;
}

static gb_status closes_open(const gb_host *host, gb_registry *registry, void **self) {
  gb_status status = gb_sdk_open(&gb, host);
  *self = &gb;
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

static void closes_close(const gb_host *host, void *self) {
  const char *how = getenv("CLOSES_HOW"), *path = getenv("CLOSES_FILE");
  FILE *file = path != NULL ? fopen(path, "a") : NULL;
  if (file != NULL) {
    fputs(self == &gb && host == gb.host ? "closed\n" : "strange\n", file);
    fclose(file);
  }
  const char *rows = getenv("CLOSES_ROWS");
  if (how == NULL) return;
  if (strcmp(how, "rewrite") == 0 && rows != NULL) forge(rows);
  if (strcmp(how, "child") == 0 && rows != NULL) leave_child(rows);
  if (strcmp(how, "replace") == 0 && rows != NULL) replace(rows);
  if (strcmp(how, "segv") == 0) *(volatile int *)NULL = 1;
  if (strcmp(how, "exit") == 0) _exit(7);
  while (strcmp(how, "hang") == 0)
    usleep(1000);
  while (strcmp(how, "shout") == 0)
    host->log(host, GB_LOG_WARNING, "I am still here");
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "closes", .version = "1.0.0", .open = closes_open,
                                .close = closes_close};
