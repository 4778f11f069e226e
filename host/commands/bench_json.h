/* What `list` and `list --contract` say alike of a bench, as JSON. */
#ifndef COMMANDS_BENCH_JSON_H
#define COMMANDS_BENCH_JSON_H

#include "base/json.h"
#include "model/model.h"

void bench_json(struct json *json,
                const struct bench_desc *bench); /* the members "axes", "devices_axis" and "presets" */

#endif
