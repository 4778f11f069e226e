/* gb.tensor/1. */
#ifndef CASE_SERVICES_TENSOR_H
#define CASE_SERVICES_TENSOR_H

#include <gpubench/ext/tensor.h>

extern const gb_tensor_ext services_tensor;

#endif
