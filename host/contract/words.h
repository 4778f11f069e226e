/* What a contract's forms say alike. */
#ifndef CONTRACT_WORDS_H
#define CONTRACT_WORDS_H

#include "contract/contract.h"

/* "[8192, 1024]" */
void contract_shape(const struct tensor_desc *tensor, char *to, size_t size);

/* "row-major, dense, aligned to 256 bytes", or its strides. */
void contract_layout(const struct tensor_desc *tensor, char *to, size_t size);

/* "f32", or "f32 (dtype=fp32), bf16 (dtype=bf16)" where an axis chooses. */
void contract_dtypes(const struct contract *contract, uint32_t tensor, char *to, size_t size);

/* The storage types that an output may have, its own first: at most `most`, each once. */
size_t contract_output_types(const struct contract *contract, uint32_t tensor, uint32_t *types, size_t most);

/* The nominal work: "operations" and how many, by index; false behind the last. What is not stated is left out. */
bool contract_work(const struct contract *contract, size_t *index, const char **name, uint64_t *value);

/* How exact an output of this storage type has to be: "exact", "bit for bit"; NULL where there is a tolerance. */
const char *contract_exact(const struct tensor_desc *tensor, uint32_t dtype);
double contract_tolerance(const struct tensor_desc *tensor, uint32_t dtype, const char *math);

bool contract_is_output(const struct tensor_desc *tensor);
bool contract_has_outputs(const struct declaration *declaration);

#endif
