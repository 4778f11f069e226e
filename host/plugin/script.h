/* Plugins that are scripts. A script is run by another plugin, the one for its language. Each script gets a copy of
 * that plugin for itself (extension gb.script/1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plugin/registry.h"

#define SCRIPT_ENDING ".py"

/* Returns true if the ending of the path is that of a script. */
bool script_is(const char *path);

/* Reads the script into `plugin->script` and hashes it, so that the bytes that run are those that were hashed. */
int script_take(struct plugin *plugin, char sha256[65], struct err *err);

/* Finds the shared object of the plugin that runs scripts. It lies in the same folder as the library with this code. */
int script_library(char *path, size_t size, struct err *err);

/* Derives the plugin's id from the file's name. */
int script_name(const char *path, char id[ID_SIZE], struct err *err);
