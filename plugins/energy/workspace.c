/* Memory that variants need in addition to the tensors: copies of the matrices a and b in another precision, and two
 * arrays for the bench `small`, whose steps read one of them and write the other. */
#include "workspace.h"

#define gb energy_gb

static int claim_workspace(gb_case *c, struct energy_call *call, uint32_t where, uint64_t bytes) {
  call->work = gb.mem->alloc(c, where, bytes);
  return call->work == NULL ? GB_ENOMEM : GB_OK;
}

static uint64_t matrix_elements(const struct energy_call *call) {
  return (uint64_t)(call->size * call->size);
}

int energy_claim_doubles(gb_case *c, struct energy_call *call) {
  return claim_workspace(c, call, GB_MEM_HOST, 2 * matrix_elements(call) * sizeof(double));
}

gb_status energy_widen(gb_case *c, const struct energy_call *call, int precision) {
  double *work = call->work;
  (void)c;
  (void)precision;
  energy_cpu_widen(work, call->a, (int64_t)matrix_elements(call));
  energy_cpu_widen(work + matrix_elements(call), call->b, (int64_t)matrix_elements(call));
  return GB_OK;
}

#ifdef GPUBENCH_CUDA
int energy_claim_copies(gb_case *c, struct energy_call *call) {
  return claim_workspace(c, call, GB_MEM_DEVICE, 2 * matrix_elements(call) * sizeof(uint16_t));
}

int energy_claim_rings(gb_case *c, struct energy_call *call) {
  return claim_workspace(c, call, GB_MEM_DEVICE, 2 * ENERGY_RING * sizeof(float));
}

void *energy_copy_of(const struct energy_call *call, int which) {
  return (uint16_t *)call->work + (uint64_t)which * matrix_elements(call);
}

gb_status energy_narrow(gb_case *c, const struct energy_call *call, int precision) {
  const int64_t count = (int64_t)matrix_elements(call);
  int code = energy_cuda_narrow(energy_copy_of(call, 0), call->a, count, precision, call->stream);
  if (code == 0) code = energy_cuda_narrow(energy_copy_of(call, 1), call->b, count, precision, call->stream);
  return code == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "cannot convert a and b: %s", energy_cuda_error(code));
}
#endif
