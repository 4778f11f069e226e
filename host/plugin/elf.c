/* Reads ELF headers as the dynamic loader needs them, to explain what dlopen() reports unclearly or not at all (an
 * incomplete file can be mapped, and then causes SIGBUS). Everything in the file is untrusted. */
#include "plugin/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
#error "which ELF machine is this?"
#endif

enum { SEGMENTS_MOST = 256, DYNAMIC_MOST = 1024 };

/* Reads exactly this many bytes. */
static bool read_at(int fd, void *to, uint64_t bytes, uint64_t at) {
  return at <= INT64_MAX && bytes <= INT64_MAX && pread(fd, to, (size_t)bytes, (off_t)at) == (ssize_t)bytes;
}

/* ---- Checking the machine and whether the file is complete ---- */

static void machine_name(unsigned machine, char *to, size_t size) {
  static const struct {
    unsigned number;
    const char *name;
  } known[] = {{EM_386, "x86"},         {EM_X86_64, "x86-64"}, {EM_ARM, "arm"},       {EM_AARCH64, "aarch64"},
               {EM_PPC64, "ppc64"},     {EM_RISCV, "riscv"},   {EM_S390, "s390"},     {EM_MIPS, "mips"},
               {EM_CUDA, "NVIDIA GPU"}, {258, "loongarch"},    {EM_AMDGPU, "AMD GPU"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (known[i].number == machine) {
      text_copy(to, size, known[i].name);
      return;
    }
  snprintf(to, size, "machine %u", machine);
}

/* Returns a 16-bit field of the header in this machine's byte order. The fields that are read have the same offsets in
 * 32-bit and 64-bit files. */
static unsigned elf_half(const Elf64_Ehdr *head, Elf64_Half value) {
  return head->e_ident[EI_DATA] == ELFDATA2MSB ? (unsigned)(value >> 8 | (value & 0xFF) << 8) : value;
}

static int check_elf_kind(const Elf64_Ehdr *head, struct err *err) {
  unsigned machine = elf_half(head, head->e_machine), type = elf_half(head, head->e_type);
  int bits = head->e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
  char theirs[32], ours[32];
  machine_name(machine, theirs, sizeof theirs);
  machine_name(MACHINE, ours, sizeof ours);
  if (machine != MACHINE || bits != 64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
    return err_set(err, EXIT_FAILED, "built for %s (%d bits%s), this machine is %s (64 bits)", theirs, bits,
                   head->e_ident[EI_DATA] == ELFDATA2MSB ? ", big-endian" : "", ours);
  if (type == ET_DYN) return 0;
  return err_set(err, EXIT_FAILED, "%s, not a shared object: link it with -shared",
                 type == ET_REL    ? "an object file"
                 : type == ET_EXEC ? "a program"
                 : type == ET_CORE ? "a core dump"
                                   : "an ELF file of an unknown type");
}

static uint64_t add_saturated(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint32_t read_segments(int fd, const Elf64_Ehdr *head, Elf64_Phdr segments[SEGMENTS_MOST]) {
  uint32_t count = head->e_phnum < SEGMENTS_MOST ? head->e_phnum : SEGMENTS_MOST;
  if (head->e_phentsize != sizeof *segments) return 0;
  return read_at(fd, segments, count * sizeof *segments, head->e_phoff) ? count : 0;
}

static int check_length(int fd, const Elf64_Ehdr *head, uint64_t bytes, struct err *err) {
  Elf64_Phdr segments[SEGMENTS_MOST];
  uint64_t end = add_saturated(head->e_shoff, (uint64_t)head->e_shnum * head->e_shentsize);
  uint64_t headers = add_saturated(head->e_phoff, (uint64_t)head->e_phnum * head->e_phentsize);
  uint32_t count = read_segments(fd, head, segments);
  if (headers > end) end = headers;
  for (uint32_t i = 0; i < count; i++)
    if (segments[i].p_type == PT_LOAD && add_saturated(segments[i].p_offset, segments[i].p_filesz) > end)
      end = add_saturated(segments[i].p_offset, segments[i].p_filesz);
  if (bytes >= end) return 0;
  return err_set(err, EXIT_FAILED, "file too short (%llu of %llu bytes): is the linker still writing it?",
                 (unsigned long long)bytes, (unsigned long long)end);
}

int loader_elf_check(int fd, struct err *err) {
  Elf64_Ehdr head = {0};
  struct stat info;
  if (fstat(fd, &info) != 0) return err_set(err, EXIT_FAILED, "%s", strerror(errno));
  if (info.st_size == 0) return err_set(err, EXIT_FAILED, "the file is empty");
  ssize_t got = pread(fd, &head, sizeof head, 0);
  if (got < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return err_set(err, EXIT_FAILED, "not an ELF file");
  if (check_elf_kind(&head, err) != 0) return -1;
  return check_length(fd, &head, (uint64_t)info.st_size, err);
}

/* ---- Reading the needed libraries ---- */

struct image {
  int fd;
  Elf64_Phdr segments[SEGMENTS_MOST];
  uint32_t count;
};

/* Returns the file offset of an address, or UINT64_MAX. */
static uint64_t file_offset_of(const struct image *image, uint64_t address) {
  for (uint32_t i = 0; i < image->count; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
      return add_saturated(s->p_offset, address - s->p_vaddr);
  }
  return UINT64_MAX;
}

/* Reads the text at an offset of the string table, truncated to the buffer. */
static void read_text(const struct image *image, uint64_t table, uint64_t offset, char *to, size_t size) {
  uint64_t at = add_saturated(table, offset);
  ssize_t got = at <= INT64_MAX ? pread(image->fd, to, size - 1, (off_t)at) : 0;
  to[got > 0 ? got : 0] = '\0';
}

static size_t read_dynamic(const struct image *image, Elf64_Dyn entries[DYNAMIC_MOST]) {
  for (uint32_t i = 0; i < image->count; i++) {
    if (image->segments[i].p_type != PT_DYNAMIC) continue;
    size_t bytes = DYNAMIC_MOST * sizeof *entries;
    if (image->segments[i].p_filesz < bytes) bytes = image->segments[i].p_filesz;
    if (image->segments[i].p_offset > INT64_MAX) return 0;
    ssize_t got = pread(image->fd, entries, bytes, (off_t)image->segments[i].p_offset);
    return got > 0 ? (size_t)got / sizeof *entries : 0;
  }
  return 0;
}

void loader_elf_needs(int fd, struct strings *needed, char *runpath, size_t size) {
  Elf64_Ehdr head;
  Elf64_Dyn entries[DYNAMIC_MOST];
  struct image image = {.fd = fd};
  char name[TEXT_SIZE];
  runpath[0] = '\0';
  if (!read_at(fd, &head, sizeof head, 0)) return;
  image.count = read_segments(fd, &head, image.segments);
  size_t count = read_dynamic(&image, entries);
  uint64_t table = UINT64_MAX;
  for (size_t i = 0; i < count; i++)
    if (entries[i].d_tag == DT_STRTAB) table = file_offset_of(&image, entries[i].d_un.d_ptr);
  for (size_t i = 0; i < count && table != UINT64_MAX && entries[i].d_tag != DT_NULL; i++) {
    bool path = entries[i].d_tag == DT_RUNPATH || entries[i].d_tag == DT_RPATH;
    if (path) read_text(&image, table, entries[i].d_un.d_val, runpath, size);
    if (entries[i].d_tag != DT_NEEDED) continue;
    read_text(&image, table, entries[i].d_un.d_val, name, sizeof name);
    strings_add(needed, name);
  }
}

void loader_elf_origin(const char *from, const char *path, char *to, size_t size) {
  const char *slash = strrchr(path, '/');
  size_t directory = (size_t)((slash ? slash + 1 : path) - path), used = 0;
  for (to[0] = '\0'; *from != '\0' && used + 1 < size;) {
    size_t skip = strncmp(from, "$ORIGIN", 7) == 0 ? 7 : strncmp(from, "${ORIGIN}", 9) == 0 ? 9 : 0;
    int length = skip ? snprintf(to + used, size - used, "%.*s", directory > 1 ? (int)directory - 1 : 1, path)
                      : snprintf(to + used, size - used, "%c", *from);
    used += length > 0 ? (size_t)length : 0;
    from += skip ? skip : 1;
  }
}

/* ---- Reading symbols, stack and relocations ---- */

enum { HEADERS_MOST = 4096, SYMBOLS_MOST = 1 << 20, NAME_MOST = TEXT_SIZE };

static void *read_table(int fd, uint64_t count, size_t size, uint64_t at) {
  void *table = xcalloc((size_t)count, size);
  if (read_at(fd, table, count * size, at)) return table;
  free(table);
  return NULL;
}

/* ---- Reading segments ---- */

static void note_dynamic(int fd, const Elf64_Phdr *segment, struct loader_elf_facts *facts) {
  const uint64_t count = segment->p_filesz / sizeof(Elf64_Dyn);
  SCOPED Elf64_Dyn *entries = count <= DYNAMIC_MOST ? read_table(fd, count, sizeof *entries, segment->p_offset) : NULL;
  for (uint64_t i = 0; entries != NULL && i < count && entries[i].d_tag != DT_NULL; i++)
    if (entries[i].d_tag == DT_TEXTREL || (entries[i].d_tag == DT_FLAGS && (entries[i].d_un.d_val & DF_TEXTREL) != 0))
      facts->text_relocations = true;
}

/* Notes whether the file makes the stack executable and has text relocations. Without a PT_GNU_STACK segment x86 makes
 * the stack executable. */
static void note_segments(int fd, const Elf64_Ehdr *head, struct loader_elf_facts *facts) {
#if defined(__x86_64__)
  facts->executable_stack = true;
#endif
  if (head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phnum > HEADERS_MOST) return;
  SCOPED Elf64_Phdr *segments = read_table(fd, head->e_phnum, sizeof *segments, head->e_phoff);
  for (uint32_t i = 0; segments != NULL && i < head->e_phnum; i++) {
    if (segments[i].p_type == PT_GNU_STACK) facts->executable_stack = (segments[i].p_flags & PF_X) != 0;
    if (segments[i].p_type == PT_DYNAMIC) note_dynamic(fd, &segments[i], facts);
  }
}

/* ---- Reading symbols ---- */

/* Returns true for the name of a symbol that linkers define at the edges of sections. */
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
  SCOPED Elf64_Sym *symbols = count <= SYMBOLS_MOST ? read_table(fd, count, sizeof *symbols, table->sh_offset) : NULL;
  facts->known = symbols != NULL;
  for (uint64_t i = 0; symbols != NULL && i < count; i++)
    take_symbol(fd, names, &symbols[i], facts);
}

static void read_sections(int fd, const Elf64_Ehdr *head, struct loader_elf_facts *facts) {
  if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shnum == 0 || head->e_shnum > HEADERS_MOST) return;
  SCOPED Elf64_Shdr *sections = read_table(fd, head->e_shnum, sizeof *sections, head->e_shoff);
  for (uint32_t i = 0; sections != NULL && i < head->e_shnum; i++)
    if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < head->e_shnum && !facts->known)
      read_symbols(fd, &sections[i], &sections[sections[i].sh_link], facts);
}

void loader_elf_facts(int fd, struct loader_elf_facts *facts) {
  Elf64_Ehdr head;
  struct err ignored = {0};
  *facts = (struct loader_elf_facts){0};
  if (loader_elf_check(fd, &ignored) != 0 || !read_at(fd, &head, sizeof head, 0)) return;
  note_segments(fd, &head, facts);
  read_sections(fd, &head, facts);
}

void loader_elf_facts_free(struct loader_elf_facts *facts) {
  strings_free(&facts->exported);
  strings_free(&facts->needed);
}
