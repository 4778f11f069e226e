/* -q: a line for each result and for each error, and what came of comparing them with another run. */
#ifndef TERMINAL_PLAIN_H
#define TERMINAL_PLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "record/run_data.h"

void plain_print(const struct run_data *data, FILE *out, bool utf8);

/* What whoever edits a kernel reads after each build: a line for each row, and for a bench three more. */

/* As table_print(), of the same rows. */
void edit_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

#endif
