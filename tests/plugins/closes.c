/* What `close` may do to the host: CLOSES_HOW. It appends a line to CLOSES_FILE when it is entered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simple.h"

static const gb_variant v_good = SIMPLE_BASELINE("good"), v_other = SIMPLE_VARIANT("other", simple_run);
static const gb_variant *const variants[] = {&v_good, &v_other, NULL};
static const gb_bench bench = SIMPLE_BENCH("closes", variants);

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
  if (how == NULL) return;
  if (strcmp(how, "segv") == 0) *(volatile int *)NULL = 1;
  if (strcmp(how, "exit") == 0) _exit(7);
  while (strcmp(how, "hang") == 0)
    usleep(1000);
  while (strcmp(how, "shout") == 0)
    host->log(host, GB_LOG_WARNING, "I am still here");
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "closes", .version = "1.0.0", .open = closes_open,
                                .close = closes_close};
