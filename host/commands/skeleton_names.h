/* Names of a contract's tensors and axes as C and C++ take them, or Python. */
#ifndef COMMANDS_SKELETON_NAMES_H
#define COMMANDS_SKELETON_NAMES_H

#include "ask/contract.h"

enum { SKELETON_NAME = ID_SIZE + 4 };

struct skeleton_names {
  char tensors[TENSORS_MAX][SKELETON_NAME];
  char axes[AXES_MAX][SKELETON_NAME];
};

/* "scores/max" as "scores_max", "c" as "c_", and none twice. */
void skeleton_names(const struct contract *contract, bool python, struct skeleton_names *names);

#endif
