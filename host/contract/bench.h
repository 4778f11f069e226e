/* Prints the parts of a bench that lists and contracts share, as text and as JSON. */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "model/model.h"

/* Prints `before` and a plugin's text, made printable; nothing if the text is empty. */
void bench_text_put(FILE *out, const char *before, const char *text);

/* Prints `lead` and a line about the axis that is the number of devices, if the bench has one. */
void bench_text_devices(const char *lead, const struct bench_desc *bench, FILE *out);

/* Prints `lead` and a line about an axis. */
void bench_text_axis(const char *lead, const struct axis_desc *axis, FILE *out);

/* Writes the members "axes", "devices_axis" and "presets" of the bench. */
void bench_json(struct json *json, const struct bench_desc *bench);
