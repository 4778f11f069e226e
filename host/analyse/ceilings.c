#include "analyse/ceilings.h"

#include <string.h>

const char *const ceiling_names[CEILINGS] = {
    [CEILING_READ] = "read_ceiling_gb_per_s",    [CEILING_WRITE] = "write_ceiling_gb_per_s",
    [CEILING_COPY] = "copy_ceiling_gb_per_s",    [CEILING_FP32] = "flop_ceiling_fp32_tflops",
    [CEILING_BF16] = "flop_ceiling_bf16_tflops",
};

static const char *const contracts[CEILINGS] = {
    [CEILING_READ] = CONTRACT_READ, [CEILING_WRITE] = CONTRACT_WRITE, [CEILING_COPY] = CONTRACT_COPY,
    [CEILING_FP32] = CONTRACT_FMA,  [CEILING_BF16] = CONTRACT_TENSOR,
};

double *ceiling_at(struct ceilings *ceilings, size_t index) {
  double *const all[CEILINGS] = {
      [CEILING_READ] = &ceilings->read_gb_per_s, [CEILING_WRITE] = &ceilings->write_gb_per_s,
      [CEILING_COPY] = &ceilings->copy_gb_per_s, [CEILING_FP32] = &ceilings->fp32_tflops,
      [CEILING_BF16] = &ceilings->bf16_tflops,
  };
  return all[index];
}

size_t ceiling_of(const char *contract) {
  size_t index = 0;
  while (index < CEILINGS && strcmp(contracts[index], contract) != 0)
    index++;
  return index;
}
