/* Texts that all forms of a contract share. */
#pragma once

#include "contract/contract.h"

/* Writes the shape of a tensor: "[8192, 1024]". */
void contract_shape(const struct tensor_desc *tensor, char *to, size_t size);

/* Writes the layout of a tensor: "row-major, dense, aligned to 256 bytes", or the strides. */
void contract_layout(const struct tensor_desc *tensor, char *to, size_t size);

/* Writes the storage types of a tensor: "f32", or "f32 (dtype=fp32), bf16 (dtype=bf16)" if an axis chooses the type. */
void contract_dtypes(const struct contract *contract, uint32_t tensor, char *to, size_t size);

/* Writes to `types` the storage types that an output may have, each once, at most `most`, the type in the example
 * first. Returns their number. */
size_t contract_output_types(const struct contract *contract, uint32_t tensor, uint32_t *types, size_t most);

/* Iterates over the numbers that state the nominal work of the example: sets the name of the next one, such as
 * "operations", and its value. Skips numbers that are not stated. Returns false at the end. */
bool contract_work(const struct contract *contract, size_t *index, const char **name, uint64_t *value);

/* Returns how exact an output of this storage type must be: "exact" or "bit for bit"; NULL if there is a tolerance. */
const char *contract_exact(const struct tensor_desc *tensor, uint32_t dtype);
double contract_tolerance(const struct tensor_desc *tensor, uint32_t dtype, const char *math);

bool contract_is_output(const struct tensor_desc *tensor);
bool contract_has_outputs(const struct declaration *declaration);
