/* The bench "decode": a few queries at the end of a long sequence. */
#ifndef ATTENTION_DECODE_H
#define ATTENTION_DECODE_H

#include <gpubench/gpubench.h>

gb_status attention_decode_add(const gb_host *host, gb_registry *registry);

#endif
