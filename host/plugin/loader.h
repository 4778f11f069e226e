/* Finds and opens plugin files. Only this file calls dlopen() for plugins. */
#pragma once

#include "base/err.h"
#include "model/phase.h"
#include "plugin/file.h"
#include "plugin/registry.h"

/* Sets the error for a file that dlopen() refused. `said` is the text of dlerror() about the file at `path`, which is
 * open as `fd`. Texts that are not known are passed on unchanged. */
int loader_why(int fd, const char *path, const char *said, struct err *err);

/* Turns the user's text into an absolute path without links. A text with a '/' is a path. Any other text is a bare name
 * ("attention", "attention.so", "mine.py"). It is searched for in the directories of GPUBENCH_PLUGIN_PATH (absolute
 * ones only), and in ../lib/gpubench/plugins relative to the binary, where both the build and the installation put
 * plugins; it is never searched for in the current directory. Returns -1 with exit code 2 if there is no such plugin;
 * the message has the most similar name and the directories. */
int loader_find(const char *name, char *path, size_t size, struct err *err);

/* Lists the plugins in the directories that loader_find() searches. Lists only shared objects, because a script is
 * loaded only if the user names it. */
void loader_available(struct strings *names);

/* Called in the parent: opens the file that loader_find() found, refuses it (exit code 3) or warns as
 * loader_file_open() does, and hashes it with the files that it brings along (plugin/brought.h). Runs no code of the
 * plugin. */
int loader_inspect(struct catalog_plugin *plugin, enum loader_trust trust, struct err *err);

/* Writes which file a worker is to load (an "order") as one text: "SHA256:LABEL:STAMP:PATH". */
enum { LOADER_ORDER_SIZE = 4096 + 65 + 65 + ID_SIZE };
void loader_order(char *to, size_t size, const struct catalog_plugin *plugin);

/* What the loader gets from gpubench: the functions that plugins may call, and two functions that the loader calls to
 * report log messages and changes that a plugin made in the process. */
struct loader_host {
  const gb_host *table; /* the functions of the host for plugins; each plugin gets a copy of the table */
  void (*log)(const char *plugin, int32_t level, const char *text);
  /* called with a text that says what loading or opening the plugin changed in the process; may be NULL */
  void (*changed)(const char *text);
};

/* Loads a plugin and calls its `open`, which registers benches and variants. `order` is a text of loader_order(), which
 * states the hash that the file must still have, or only an absolute path. Returns -1 with exit code 3 and the reason
 * on failure. The file is never closed. A file that this process has loaded before is loaded again from a private copy.
 */
int loader_load(const char *order, const struct loader_host *host, struct phase_page *page, struct plugin **plugin,
                struct err *err);
