/* Texts about parts of a contract (what a variant of a bench must compute), for all forms in which it is printed. */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "contract/contract.h"
#include "model/model.h"
#include "plan/lineup.h"

/* Writes the shape of a tensor: "[8192, 1024]". */
void contract_shape(const struct tensor_desc *tensor, char *to, size_t size);

/* Writes the layout of a tensor: "row-major, dense, aligned to 256 bytes", or the strides. */
void contract_layout(const struct tensor_desc *tensor, char *to, size_t size);

/* Writes the storage types of a tensor: "f32", or "f32 (dtype=fp32), bf16 (dtype=bf16)" if an axis chooses the type. */
void contract_dtypes(const struct contract *contract, uint32_t tensor, char *to, size_t size);

/* Writes the storage types that an output may have to `types`, each once, beginning with the type in the example.
 * Writes at most `most` of them, and returns their number. */
size_t contract_output_types(const struct contract *contract, uint32_t tensor, uint32_t *types, size_t most);

/* Iterates over the numbers that give the nominal work of the example: sets the name of the next one, such as
 * "operations", and its value. Skips numbers that the bench does not declare. Returns false at the end. */
bool contract_work(const struct contract *contract, size_t *index, const char **name, uint64_t *value);

/* Returns how an output of this storage type must agree with the expected values: "exact" or "bit for bit"; NULL if
 * there is a tolerance. */
const char *contract_exact(const struct tensor_desc *tensor, uint32_t dtype);
double contract_tolerance(const struct tensor_desc *tensor, uint32_t dtype, const char *math);

bool contract_is_output(const struct tensor_desc *tensor);
bool contract_has_outputs(const struct declaration *declaration);

/* Prints `before` and a plugin's text, made printable; nothing if the text is empty. */
void bench_text_put(FILE *out, const char *before, const char *text);
/* Prints the id of a contract and, unless it is 0, the minor. */
void bench_text_contract(const char *before, const char *contract, uint32_t minor, FILE *out);

/* Prints `lead` and a line about the axis (parameter) whose value is the number of devices, if the bench has one. */
void bench_text_devices(const char *lead, const struct bench_desc *bench, FILE *out);

/* Print `lead` and a line about an axis, a preset or a variant. `by_name` is printed if no backend has the preset by
 * default. */
void bench_text_axis(const char *lead, const struct axis_desc *axis, FILE *out);
void bench_text_preset(const char *lead, const struct preset_desc *preset, const char *by_name, FILE *out);
void bench_text_variant(const char *lead, const struct catalog *catalog, const struct lineup_variant *variant,
                        FILE *out);

/* Writes the members "axes", "devices_axis" and "presets" of the bench. */
void bench_json(struct json *json, const struct bench_desc *bench);
/* Writes the member "variants". With `guests`, each variant has a member that tells whether it is a guest, that is from
 * another plugin than the bench. */
void bench_json_variants(struct json *json, const struct catalog *catalog, const struct lineup *lineup, bool guests);
