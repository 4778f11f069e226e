/* One contract's forms beside the text of commands/contract.c, by file: commands/contract_json.c,
 * commands/contract_markdown.c, commands/contract_skeleton.c. */
#ifndef COMMANDS_CONTRACT_FORMS_H
#define COMMANDS_CONTRACT_FORMS_H

#include <stdio.h>

#include "ask/contract.h"

struct json;

void contract_json(struct json *json, const struct catalog *catalog, const struct contract *contract);
void contract_markdown(const struct contract *contract, FILE *out);
void contract_skeleton(const struct catalog *catalog, const struct contract *contract, FILE *out);

#endif
