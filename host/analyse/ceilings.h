/* The ceilings of a device: the highest rates that the benches of the plugin calibrate (its yardsticks) reach on it.
 * The rates in the results are compared with them. The functions do no I/O. */
#pragma once

#include <math.h>
#include <stddef.h>

/* The highest rates that the device reached; NaN: not known. */
struct ceilings {
  double read_gb_per_s, write_gb_per_s, copy_gb_per_s, fp32_tflops, bf16_tflops;
};
#define CEILINGS_UNKNOWN ((struct ceilings){NAN, NAN, NAN, NAN, NAN})

/* Indices of ceiling_at() and ceiling_names. */
enum { CEILING_READ, CEILING_WRITE, CEILING_COPY, CEILING_FP32, CEILING_BF16, CEILINGS };

/* The names of the ceilings (highest rates of the device) in run.ini. A later run with --ceilings finds the values by
 * these names. */
extern const char *const ceiling_names[CEILINGS];
double *ceiling_at(struct ceilings *ceilings, size_t index);
/* Returns the index of the ceiling that a bench with this contract (name of the interface of a bench) measures;
 * CEILINGS: none. */
size_t ceiling_of(const char *contract);

/* Contracts (interface names) of the benches that measure ceilings. */
#define CONTRACT_READ "gpubench.org/calibrate/read/1"
#define CONTRACT_WRITE "gpubench.org/calibrate/write/1"
#define CONTRACT_COPY "gpubench.org/calibrate/copy/1"
#define CONTRACT_FMA "gpubench.org/calibrate/fma/1"
#define CONTRACT_TENSOR "gpubench.org/calibrate/tensor/1"
