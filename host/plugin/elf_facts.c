/* Symbols, stack and relocations of an ELF file, read with bounds. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "plugin/elf.h"

enum { HEADERS_MOST = 4096, SYMBOLS_MOST = 1 << 20, DYNAMIC_MOST = 1024, NAME_MOST = TEXT_SIZE };

/* Exactly so many bytes. */
static bool read_at(int fd, void *to, uint64_t bytes, uint64_t at) {
  return at <= INT64_MAX && bytes <= INT64_MAX && pread(fd, to, (size_t)bytes, (off_t)at) == (ssize_t)bytes;
}

static void *read_table(int fd, uint64_t count, size_t size, uint64_t at) {
  void *table = xcalloc((size_t)count, size);
  if (read_at(fd, table, count * size, at)) return table;
  free(table);
  return NULL;
}

/* ---- Segments ---- */

static void read_dynamic(int fd, const Elf64_Phdr *segment, struct loader_elf_facts *facts) {
  const uint64_t count = segment->p_filesz / sizeof(Elf64_Dyn);
  Elf64_Dyn *entries = count <= DYNAMIC_MOST ? read_table(fd, count, sizeof *entries, segment->p_offset) : NULL;
  for (uint64_t i = 0; entries != NULL && i < count && entries[i].d_tag != DT_NULL; i++)
    if (entries[i].d_tag == DT_TEXTREL || (entries[i].d_tag == DT_FLAGS && (entries[i].d_un.d_val & DF_TEXTREL) != 0))
      facts->text_relocations = true;
  free(entries);
}

/* Where a file does not say what its stack is like, x86 makes it executable. */
static void read_segments(int fd, const Elf64_Ehdr *head, struct loader_elf_facts *facts) {
#if defined(__x86_64__)
  facts->executable_stack = true;
#endif
  if (head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phnum > HEADERS_MOST) return;
  Elf64_Phdr *segments = read_table(fd, head->e_phnum, sizeof *segments, head->e_phoff);
  for (uint32_t i = 0; segments != NULL && i < head->e_phnum; i++) {
    if (segments[i].p_type == PT_GNU_STACK) facts->executable_stack = (segments[i].p_flags & PF_X) != 0;
    if (segments[i].p_type == PT_DYNAMIC) read_dynamic(fd, &segments[i], facts);
  }
  free(segments);
}

/* ---- Symbols ---- */

/* What linkers define at the edges of sections, and no author. */
static bool is_linkers(const char *name) {
  static const char *const names[] = {"_init", "_fini", "_edata", "_end", "__bss_start"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static void take_symbol(int fd, const Elf64_Shdr *names, const Elf64_Sym *symbol, struct loader_elf_facts *facts) {
  char name[NAME_MOST];
  const unsigned char visible = ELF64_ST_VISIBILITY(symbol->st_other);
  if (symbol->st_name == 0 || symbol->st_name >= names->sh_size || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) return;
  if (names->sh_offset > INT64_MAX - names->sh_size) return;
  const ssize_t got = pread(fd, name, sizeof name - 1, (off_t)(names->sh_offset + symbol->st_name));
  name[got > 0 ? got : 0] = '\0';
  text_sanitize(name);
  if (symbol->st_shndx == SHN_UNDEF)
    strings_add(&facts->needed, name);
  else if ((visible == STV_DEFAULT || visible == STV_PROTECTED) && !is_linkers(name))
    strings_add(&facts->exported, name);
}

static void read_symbols(int fd, const Elf64_Shdr *table, const Elf64_Shdr *names, struct loader_elf_facts *facts) {
  const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  Elf64_Sym *symbols = count <= SYMBOLS_MOST ? read_table(fd, count, sizeof *symbols, table->sh_offset) : NULL;
  facts->known = symbols != NULL;
  for (uint64_t i = 0; symbols != NULL && i < count; i++)
    take_symbol(fd, names, &symbols[i], facts);
  free(symbols);
}

static void read_sections(int fd, const Elf64_Ehdr *head, struct loader_elf_facts *facts) {
  if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shnum == 0 || head->e_shnum > HEADERS_MOST) return;
  Elf64_Shdr *sections = read_table(fd, head->e_shnum, sizeof *sections, head->e_shoff);
  for (uint32_t i = 0; sections != NULL && i < head->e_shnum; i++)
    if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < head->e_shnum && !facts->known)
      read_symbols(fd, &sections[i], &sections[sections[i].sh_link], facts);
  free(sections);
}

void loader_elf_facts(int fd, struct loader_elf_facts *facts) {
  Elf64_Ehdr head;
  struct err ignored = {0};
  *facts = (struct loader_elf_facts){0};
  if (loader_elf_check(fd, &ignored) != 0 || !read_at(fd, &head, sizeof head, 0)) return;
  read_segments(fd, &head, facts);
  read_sections(fd, &head, facts);
}

void loader_elf_facts_free(struct loader_elf_facts *facts) {
  strings_free(&facts->exported);
  strings_free(&facts->needed);
}
