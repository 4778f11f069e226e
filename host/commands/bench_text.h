/* What lists and contracts print alike of a bench. */
#ifndef COMMANDS_BENCH_TEXT_H
#define COMMANDS_BENCH_TEXT_H

#include <stdio.h>

#include "model/model.h"

/* One field of a plugin's, made printable; "" where there is none, after `before` otherwise. */
void bench_text_put(FILE *out, const char *before, const char *text);

/* The axis that counts devices, if there is one, in a line; `lead` begins it. */
void bench_text_devices(const char *lead, const struct bench_desc *bench, FILE *out);

/* A line; `lead` begins it. */
void bench_text_axis(const char *lead, const struct axis_desc *axis, FILE *out);

#endif
