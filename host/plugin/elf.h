/* What an ELF file says of itself, read with bounds and without mapping it. */
#ifndef PLUGIN_ELF_H
#define PLUGIN_ELF_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

/* Is it a whole shared object for this machine? Exit 3 with a sentence where it is not. */
int loader_elf_check(int fd, struct err *err);

/* The libraries it names as needed, and its RUNPATH or RPATH ("" where it has none). What cannot be read is left out.
 */
void loader_elf_needs(int fd, struct strings *needed, char *runpath, size_t size);

/* What a linker has made of it, as far as the file says. */
struct loader_elf_facts {
  bool known; /* it has a table of dynamic symbols, which could be read */
  bool executable_stack, text_relocations;
  struct strings exported, needed; /* symbols: that others see, but for the linker's own; that it does not define */
};

void loader_elf_facts(int fd, struct loader_elf_facts *facts);
void loader_elf_facts_free(struct loader_elf_facts *facts);

/* A search path with $ORIGIN as the loader reads it: the directory of the file that names it, at `path`. */
void loader_elf_origin(const char *from, const char *path, char *to, size_t size);

#endif
