/* What variants keep beside the tensors: rings, and copies of a and b in another precision. */
#ifndef ENERGY_WORKSPACE_H
#define ENERGY_WORKSPACE_H

#include "benches.h"
#include "kernels.h"

/* [in prepare] Sets `work`: room for a and b as doubles, and on the device in 16 bits or fewer; or small's two rings.
 */
int energy_claim_doubles(gb_case *c, struct energy_call *call);
int energy_claim_copies(gb_case *c, struct energy_call *call);
int energy_claim_rings(gb_case *c, struct energy_call *call);

/* Where the copy of a (0) or b (1) lies in what energy_claim_copies has taken. */
void *energy_copy_of(const struct energy_call *call, int which);

/* [in prepare, refresh] Makes the copies anew, from what the tensors hold. */
gb_status energy_widen(gb_case *c, const struct energy_call *call, int precision);
gb_status energy_narrow(gb_case *c, const struct energy_call *call, int precision);

#endif
