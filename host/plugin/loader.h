/* Finding and opening plugin files. The one place that calls dlopen. */
#ifndef PLUGIN_LOADER_H
#define PLUGIN_LOADER_H

#include "base/err.h"
#include "model/phase.h"
#include "plugin/file.h"
#include "plugin/registry.h"

/* Turns what was typed into an absolute path: with a '/' it is a path; a bare name ("attention", "attention.so",
 * "mine.py") is looked up in the directories of GPUBENCH_PLUGIN_PATH (absolute ones only) and in
 * ../lib/gpubench/plugins beside the binary, which serves build and install trees alike; never in the current
 * directory. The path is free of links. Exit 2 with the nearest name and the directories looked in. */
int loader_find(const char *name, char *path, size_t size, struct err *err);

/* Names of all plugins in those directories that are shared objects: what scripts offer is asked of those that are
 * named.
 */
void loader_available(struct strings *names);

/* Parent side: opens the file found above, refuses it (exit 3) or warns as loader_file_open() says, and hashes it with
 * what it brings along (plugin/brought.h). Runs nothing of it. */
int loader_inspect(struct catalog_plugin *plugin, enum loader_trust trust, struct err *err);

/* What a worker is to load, as one text: "SHA256:LABEL:STAMP:PATH". */
enum { LOADER_ORDER_SIZE = 4096 + 65 + 65 + ID_SIZE };
void loader_order(char *to, size_t size, const struct catalog_plugin *plugin);

/* What a plugin meets when it is loaded. */
struct loader_host {
  const gb_host *table; /* each plugin is handed a copy of its own */
  void (*log)(const char *plugin, int32_t level, const char *text);
  void (*changed)(const char *text); /* told what loading or opening left changed of the process; NULL: nobody is */
};

/* Opens the file of an order, or of a bare absolute path whose bytes nobody knows yet; checks that it is still the file
 * that was inspected, checks its entry, lets it register. Exit 3 with a sentence for each refusal. Never closed again.
 * A file that this process has loaded before is loaded once more, from a private copy. */
int loader_load(const char *order, const struct loader_host *host, struct phase_page *page, struct plugin **plugin,
                struct err *err);

#endif
