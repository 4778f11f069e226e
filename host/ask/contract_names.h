/* Names of a contract's tensors and axes as C and C++ take them, or Python. */
#ifndef ASK_CONTRACT_NAMES_H
#define ASK_CONTRACT_NAMES_H

#include "ask/contract.h"

enum { CONTRACT_NAME = ID_SIZE + 4 };

struct contract_names {
  char tensors[TENSORS_MAX][CONTRACT_NAME];
  char axes[AXES_MAX][CONTRACT_NAME];
};

/* "scores/max" as "scores_max", "c" as "c_", and none twice. */
void contract_names(const struct contract *contract, bool python, struct contract_names *names);

#endif
