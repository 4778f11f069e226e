/* Finding and opening plugin files. The one place that calls dlopen. */
#ifndef LOADER_H
#define LOADER_H

#include "err.h"
#include "phase.h"
#include "registry.h"

/* Turns what was typed into an absolute path: with a '/' it is a path; a bare name ("attention", "attention.so") is
 * looked up in the directories of GPUBENCH_PLUGIN_PATH (absolute ones only) and in ../lib/gpubench/plugins beside the
 * binary, which serves build and install trees alike; never in the current directory. Exit 2 with the nearest name and
 * the directories looked in. */
int loader_find(const char *name, char *path, size_t size, struct err *err);

/* Names of all plugins in those directories. */
void loader_available(struct strings *names);

/* SHA-256 of a file in hexadecimal, 64 digits and a NUL. */
int loader_sha256(const char *path, char hex[65], struct err *err);

/* Opens the file, checks its entry, lets it register. Exit 3 with a sentence for each refusal. Never closed again. */
int loader_load(const char *path, struct phase_page *page, struct plugin **plugin, struct err *err);

#endif
