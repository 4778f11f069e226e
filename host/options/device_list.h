/* Parses the value of --device into a list of devices. No I/O. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "model/device_trait.h"

#define DEVICES_ALL "cuda:all"

/* Splits a list, "cuda:0,cuda:2", into its devices. A comma separates only if another device begins after it, because
 * the name of the file in "fake:FILE" (a device whose times come from a file) may contain commas. */
void devices_split(const char *text, struct strings *specs);

/* Replaces "cuda:all" in the list by every CUDA device. */
void devices_expand(struct strings *specs, size_t cuda_count);

/* Fails with exit code 2 if a device is empty or listed twice. */
int devices_check(const struct strings *specs, struct err *err);

/* The backends that a variant may have, NULL-terminated. */
extern const char *const devices_backends[];

/* Returns the backend, "cuda" or "cpu", of the variants that run on this device. */
const char *devices_backend(const char *spec);

/* Returns true if a device, or every device of a list, is known to have this trait before it is opened. `spec` may also
 * be the name of a backend. */
bool devices_are(const char *spec, enum device_trait trait);

/* Returns the list unchanged, or all CUDA devices if it is just "cuda". */
const char *devices_all(const char *list);
