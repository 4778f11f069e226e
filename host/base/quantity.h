/* Numbers as people write them: the whole text or nothing. `what` names the option or key for messages. Pure. */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Reads a finite decimal number at the start of `text`. Returns how many bytes it has, 0 if there is none. */
size_t quantity_number(const char *text, double *value);

/* "30", "30s", "2m", "1h", "500ms": seconds, from 1 ms to a week. */
int quantity_time(const char *what, const char *text, double *seconds, struct err *err);

/* "0.5%" or "0.005": a share, from 0.001% to 20%. */
int quantity_share(const char *what, const char *text, double *share, struct err *err);

/* A share, or "0": none is precise enough. */
int quantity_precision(const char *what, const char *text, double *share, struct err *err);

/* "10MB", "1GiB", "4096": bytes, decimal and binary prefixes, up to 2^60. */
int quantity_bytes(const char *what, const char *text, double *bytes, struct err *err);

/* A whole number from 1 to `most`. */
int quantity_count(const char *what, const char *text, uint32_t most, uint32_t *count, struct err *err);

/* "2/4": a whole number from 1 to the one behind it, which is at most `most`. */
int quantity_part(const char *what, const char *text, uint32_t most, uint32_t *number, uint32_t *of, struct err *err);

/* A whole number from 0 to 2^64 - 1. */
int quantity_seed(const char *what, const char *text, uint64_t *seed, struct err *err);

#endif
