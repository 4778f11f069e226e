/* What lists and contracts say alike of a bench, as text and as JSON. */
#ifndef CONTRACT_BENCH_H
#define CONTRACT_BENCH_H

#include <stdio.h>

#include "base/json.h"
#include "model/model.h"

/* One field of a plugin's, made printable; "" where there is none, after `before` otherwise. */
void bench_text_put(FILE *out, const char *before, const char *text);

/* The axis that counts devices, if there is one, in a line; `lead` begins it. */
void bench_text_devices(const char *lead, const struct bench_desc *bench, FILE *out);

/* A line; `lead` begins it. */
void bench_text_axis(const char *lead, const struct axis_desc *axis, FILE *out);

void bench_json(struct json *json,
                const struct bench_desc *bench); /* the members "axes", "devices_axis" and "presets" */

#endif
