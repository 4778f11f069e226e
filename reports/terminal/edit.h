/* What whoever edits a kernel reads after each build: a line for each row, and for a bench three more. */
#ifndef TERMINAL_EDIT_H
#define TERMINAL_EDIT_H

#include <stdbool.h>
#include <stdio.h>

#include "record/run_data.h"

/* As table_print(), of the same rows. */
void edit_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8);

#endif
