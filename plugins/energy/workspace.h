/* Memory that variants need in addition to the tensors: copies of the matrices a and b in another precision, and two
 * arrays for the bench `small`, whose steps read one of them and write the other. */
#ifndef ENERGY_WORKSPACE_H
#define ENERGY_WORKSPACE_H

#include "benches.h"
#include "kernels.h"

/* To be called in `prepare`. Set call->work to new memory: energy_claim_doubles() for a and b as doubles, in host
 * memory; energy_claim_copies() for a and b in 16 bits or fewer, on the device; energy_claim_rings() for the two arrays
 * of the bench `small`. Return a gb_status. */
int energy_claim_doubles(gb_case *c, struct energy_call *call);
int energy_claim_copies(gb_case *c, struct energy_call *call);
int energy_claim_rings(gb_case *c, struct energy_call *call);

/* Returns the copy of a (`which` 0) or of b (1) in the memory that energy_claim_copies() allocated. */
void *energy_copy_of(const struct energy_call *call, int which);

/* To be called in `prepare`, and in `refresh`, that is after new values were written to the tensors. Convert a and b to
 * the copies. */
gb_status energy_widen(gb_case *c, const struct energy_call *call, int precision);
gb_status energy_narrow(gb_case *c, const struct energy_call *call, int precision);

#endif
