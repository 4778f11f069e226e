/* One contract's forms beside the text of commands/contract.c, by file: commands/contract_json.c,
 * commands/contract_markdown.c, commands/contract_skeleton.c, commands/contract_python.c. */
#ifndef COMMANDS_CONTRACT_FORMS_H
#define COMMANDS_CONTRACT_FORMS_H

#include <stdio.h>

#include "ask/contract.h"

struct json;

struct skeleton {
  const char *lang; /* "c", "cpp", "cuda" or "python" */
  const char *name; /* of plugin and variant, an identifier */
  bool by_hand;     /* say how to build and run it without CMake */
};

void contract_json(struct json *json, const struct catalog *catalog, const struct contract *contract);
void contract_markdown(const struct contract *contract, FILE *out);
void contract_skeleton(const struct catalog *catalog, const struct contract *contract, const struct skeleton *wanted,
                       FILE *out);
void contract_python(const struct contract *contract, const struct skeleton *wanted, FILE *out);

/* The plugin of a bench as --plugin takes it: its bare name where that finds this very file, else its path. */
void contract_owner(const struct catalog *catalog, const struct lineup *lineup, char *to, size_t size);

#endif
