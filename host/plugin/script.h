/* Plugins that are scripts: texts that a copy of the plugin for their language runs (gb.script/1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plugin/registry.h"

#define SCRIPT_ENDING ".py"

/* Decides by the ending. */
bool script_is(const char *path);

/* Reads the script into the plugin and hashes it, so that the bytes that run are those that were hashed. */
int script_take(struct plugin *plugin, char sha256[65], struct err *err);

/* Finds the shared object that runs scripts, in the folder of this worker's own. */
int script_library(char *path, size_t size, struct err *err);

/* Derives the plugin's id from the file's name. */
int script_name(const char *path, char id[ID_SIZE], struct err *err);
