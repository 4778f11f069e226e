/* Reads ELF files with bounds checks and without mapping them. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

/* Checks that the file is a complete shared object for this machine. Returns -1 with exit code 3 and the reason if it
 * is not. */
int loader_elf_check(int fd, struct err *err);

/* Reads which libraries the file needs and its RUNPATH or RPATH ("": none). Leaves out what cannot be read. */
void loader_elf_needs(int fd, struct strings *needed, char *runpath, size_t size);

/* Properties that the linker gave the file. */
struct loader_elf_facts {
  bool known; /* true if the file's table of dynamic symbols could be read */
  bool executable_stack, text_relocations;
  /* exported: visible symbols, except those of the linker; needed: symbols that the file does not define */
  struct strings exported, needed;
};

void loader_elf_facts(int fd, struct loader_elf_facts *facts);
void loader_elf_facts_free(struct loader_elf_facts *facts);

/* Expands $ORIGIN in a search path of the file at `path` to that file's directory, as the loader does. */
void loader_elf_origin(const char *from, const char *path, char *to, size_t size);
