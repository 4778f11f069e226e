/* Writes the source of a guest, a plugin that adds a variant to another plugin's bench. The variant computes nothing
 * yet. */
#pragma once

#include <stdio.h>

#include "contract/contract.h"

struct skeleton {
  const char *lang; /* language of the source: "c", "cpp", "cuda" or "python" */
  const char *name; /* name of the plugin and the variant; an identifier */
  bool by_hand;     /* true if the source says how to build and run it without CMake */
};

void contract_skeleton(const struct catalog *catalog, const struct contract *contract, const struct skeleton *wanted,
                       FILE *out);
void contract_python(const struct contract *contract, const struct skeleton *wanted, FILE *out);

/* Writes the name by which --plugin finds the plugin that owns a bench: the file name without a folder if the loader
 * finds the same file by it, else the path. */
void contract_owner(const struct catalog *catalog, const struct lineup *lineup, char *to, size_t size);
