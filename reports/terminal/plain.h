/* -q: a line for each result and for each error, and what came of comparing them with another run. */
#ifndef TERMINAL_PLAIN_H
#define TERMINAL_PLAIN_H

#include <stdio.h>

#include "record/run_data.h"

void plain_print(const struct run_data *data, FILE *out, bool utf8);

#endif
