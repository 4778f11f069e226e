/* The ceilings that shares divide by, beside those that a run measures. */
#ifndef ROOFS_ROOFS_H
#define ROOFS_ROOFS_H

#include "analyse/ceilings.h"
#include "base/err.h"
#include "base/pairs.h"
#include "model/model.h"

/* Takes those that --roofs names, which must be of such a device, and notes down in `device` whence. */
int roofs_take(const char *path, const struct device_facts *facts, struct ceilings *ceilings, struct pairs *device,
               struct err *err);
/* Writes down those that are known. */
void roofs_note(const struct ceilings *ceilings, struct pairs *device);

#endif
