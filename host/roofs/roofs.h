/* Ceilings that are taken from an earlier run instead of being measured. The rows' shares of a ceiling are computed
 * with them. */
#pragma once

#include "analyse/ceilings.h"
#include "base/err.h"
#include "base/pairs.h"
#include "model/model.h"

/* Takes the ceilings of the run that --roofs names, which must be of such a device as `facts` describe, and notes in
 * `device` where they come from. */
int roofs_take(const char *path, const struct device_facts *facts, struct ceilings *ceilings, struct pairs *device,
               struct err *err);
/* Notes the known ceilings in `device`. */
void roofs_note(const struct ceilings *ceilings, struct pairs *device);
