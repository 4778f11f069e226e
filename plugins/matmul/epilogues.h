/* The benches "bias_gelu" and "add": a product with an epilogue. */
#ifndef MATMUL_EPILOGUES_H
#define MATMUL_EPILOGUES_H

#include <gpubench/gpubench.h>

gb_status matmul_epilogues_add(const gb_host *host, gb_registry *registry);

#endif
