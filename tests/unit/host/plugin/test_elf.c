/* Tests reading ELF headers, with modified copies of a real library. */
#include "plugin/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static unsigned char *bytes;
static size_t size;

/* Reads the C library: a shared object that surely exists. */
static void read_whole(void) {
  struct stat info;
  char path[4096] = "";
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4352];
  while (maps != NULL && path[0] == '\0' && fgets(line, sizeof line, maps) != NULL) {
    char *name = strchr(line, '/');
    if (name == NULL || strstr(name, "/libc.so.6") == NULL) continue;
    name[strcspn(name, "\n")] = '\0';
    text_copy(path, sizeof path, name);
  }
  if (maps != NULL) fclose(maps);
  int fd = open(path, O_RDONLY);
  ASSERT_EQ_INT(fstat(fd, &info), 0);
  size = (size_t)info.st_size;
  bytes = malloc(size);
  ASSERT_EQ_INT(pread(fd, bytes, size, 0), info.st_size);
  close(fd);
}

static int file_of(const void *data, size_t count) {
  int fd = memfd_create("elf", 0);
  ASSERT_EQ_INT(write(fd, data, count), (long long)count);
  return fd;
}

static void checks(const void *data, size_t count, const char *message) {
  struct err err = {0};
  int fd = file_of(data, count);
  ASSERT_EQ_INT(loader_elf_check(fd, &err), message == NULL ? 0 : -1);
  ASSERT_HAS(err.text, message ? message : "");
  ASSERT_EQ_INT(err.exit_code, message ? EXIT_FAILED : 0);
  close(fd);
}

static void what_is_whole_passes(void) {
  read_whole();
  checks(bytes, size, NULL);
  free(bytes);
}

static void what_is_cut_short_does_not(void) {
  char message[96];
  read_whole();
  snprintf(message, sizeof message, "file too short (%zu of ", size / 2);
  checks(bytes, size / 2, message);
  checks(bytes, sizeof(Elf64_Ehdr), "file too short (64 of ");
  checks(bytes, size - 1, "is the linker still writing it?");
  checks(bytes, 40, "not an ELF file");
  checks(bytes, 0, "the file is empty");
  checks("#!/bin/sh\necho this is a script, and long enough for a header of ELF\n", 66, "not an ELF file");
  /* without section headers, the segments still tell the size */
  ((Elf64_Ehdr *)(void *)bytes)->e_shoff = 0;
  ((Elf64_Ehdr *)(void *)bytes)->e_shnum = 0;
  checks(bytes, size / 2, "file too short");
  free(bytes);
}

static void of_another_machine(void) {
  Elf64_Ehdr head;
  read_whole();
  memcpy(&head, bytes, sizeof head);
  free(bytes);
  const unsigned char class = head.e_ident[EI_CLASS];
  const char *own = head.e_machine == EM_X86_64 ? "this machine is x86-64 (64 bits)" : "this machine is aarch64";
  static const struct {
    Elf64_Half machine;
    const char *message;
  } rows[] = {{EM_S390, "built for s390 (64 bits), "},
              {EM_PPC64, "built for ppc64"},
              {EM_CUDA, "built for NVIDIA GPU"},
              {0xABCD, "built for machine 43981"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    head.e_machine = rows[i].machine;
    checks(&head, sizeof head, rows[i].message);
    checks(&head, sizeof head, own);
  }
  head.e_machine = EM_386;
  head.e_ident[EI_CLASS] = ELFCLASS32;
  checks(&head, sizeof(Elf32_Ehdr), "built for x86 (32 bits), ");
  head.e_ident[EI_CLASS] = class;
  head.e_ident[EI_DATA] = ELFDATA2MSB;
  head.e_machine = (Elf64_Half)(EM_AARCH64 >> 8 | (EM_AARCH64 & 0xFF) << 8);
  checks(&head, sizeof head, "built for aarch64 (64 bits, big-endian)");
}

static void of_another_kind(void) {
  static const struct {
    Elf64_Half type;
    const char *message;
  } rows[] = {{ET_REL, "an object file, not a shared object: link it with -shared"},
              {ET_EXEC, "a program, not"},
              {ET_CORE, "a core dump"},
              {99, "unknown type"}};
  read_whole();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ((Elf64_Ehdr *)(void *)bytes)->e_type = rows[i].type;
    checks(bytes, size, rows[i].message);
  }
  free(bytes);
}

static void names_what_it_needs(void) {
  struct strings needed = {0};
  char runpath[256];
  int fd = open("/proc/self/exe", O_RDONLY);
  bool libc = false;
  loader_elf_needs(fd, &needed, runpath, sizeof runpath);
  close(fd);
  for (size_t i = 0; i < needed.count; i++)
    libc = libc || strcmp(needed.items[i], "libc.so.6") == 0;
  ASSERT_TRUE(libc);
  ASSERT_TRUE(needed.count < 20);
  strings_free(&needed);
}

/* Random bytes cause no read beyond the file, no endless list and no crash. */
static void garbage_is_harmless(void) {
  struct strings needed = {0};
  struct err err = {0};
  char runpath[16];
  read_whole();
  size_t head = size < 8192 ? size : 8192;
  for (size_t at = 16; at + 8 < head; at += 5) {
    unsigned char saved[8];
    memcpy(saved, bytes + at, 8);
    memset(bytes + at, at % 2 ? 0xFF : 0x7F, 8);
    int fd = file_of(bytes, head);
    loader_elf_needs(fd, &needed, runpath, sizeof runpath);
    loader_elf_check(fd, &err);
    close(fd);
    memcpy(bytes + at, saved, 8);
    strings_free(&needed);
  }
  UNIT_PASS();
  free(bytes);
}

UNIT_MAIN("loader_elf", UNIT_TEST(what_is_whole_passes), UNIT_TEST(what_is_cut_short_does_not),
          UNIT_TEST(of_another_machine), UNIT_TEST(of_another_kind), UNIT_TEST(names_what_it_needs),
          UNIT_TEST(garbage_is_harmless))
