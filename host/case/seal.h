/* Outputs may not change from when they are final until they have been compared: whoever sees which elements are asked
 * for could still put these right. */
#ifndef CASE_SEAL_H
#define CASE_SEAL_H

#include "case/case.h"

/* Notes what the outputs hold, by a key that is drawn here: so nobody can change something else as well and have the
 * same checksum. -1: the device failed. */
int seal_outputs(struct gb_case *c, struct err *err);

/* `*broken`: an output that holds something else now, or NULL. -1: the device failed. */
int seal_check(struct gb_case *c, const char **broken, struct err *err);

#endif
