/* Names accesses to fences: pages around memory that cannot be accessed (case/fence.h). Such an access ends the
 * process; before that, a handler of SIGSEGV says which memory it was meant for. */
#pragma once

#include "exam/exam.h"

/* Installs the handler. Returns false if this process has done so before. */
bool fences_begin(void);

/* From now on, an access to a fence of this case is announced to `host` as what breaks the rule on bounds. NULL: none
 * is. There is one such case at a time. */
void fences_watch(const struct exam_host *host, const struct gb_case *c);
