/* The benches "bias_gelu" and "add": a matrix product with an epilogue, a function that is applied to each element of
 * the product. */
#ifndef MATMUL_EPILOGUES_H
#define MATMUL_EPILOGUES_H

#include <gpubench/gpubench.h>

gb_status matmul_epilogues_add(const gb_host *host, gb_registry *registry);

#endif
