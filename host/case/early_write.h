/* Has anything reached an output while the stream is held back? Then it went another way than the stream. */
#ifndef CASE_EARLY_WRITE_H
#define CASE_EARLY_WRITE_H

#include "case/case.h"

/* The name of an output that is no longer poisoned at its ends, read beside the stream; NULL: none, or not known. */
const char *early_write_output(struct gb_case *c, struct err *err);

#endif
