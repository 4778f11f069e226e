/* --device as it is typed: which devices it means. Pure. */
#ifndef OPTIONS_DEVICE_LIST_H
#define OPTIONS_DEVICE_LIST_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "model/device_trait.h"

#define DEVICES_ALL "cuda:all"

/* The devices of a list, "cuda:0,cuda:2": a comma separates where a device begins behind it, so that a script's name
 * may have some. */
void devices_split(const char *text, struct strings *specs);

/* Puts every CUDA device in the place of "cuda:all", where that occurs. */
void devices_expand(struct strings *specs, size_t cuda_count);

/* Exit 2 where one of them is empty or there twice. */
int devices_check(const struct strings *specs, struct err *err);

/* Those that variants may be for, NULL-ended. */
extern const char *const devices_backends[];

/* "cuda" or "cpu": the variants that run there. */
const char *devices_backend(const char *spec);

/* What is known of a device, or of all of a list, before it is opened; a backend's name is one as well. */
bool devices_are(const char *spec, enum device_trait trait);

/* The list itself; every CUDA device where it says no more than that there is to be one. */
const char *devices_all(const char *list);

#endif
