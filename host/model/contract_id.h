/* Ids of contracts, DOMAIN/PATH/N as rule 2 of gpubench.h states them, and the minors of a contract. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { CONTRACT_SIZE = 128, CONTRACT_MINOR_MAX = 65535 };

/* Returns true if the text is a contract id. If not, `fault` says what is wrong with it; the text in it is printable.
 */
bool contract_id_check(const char *id, char *fault, size_t size);
