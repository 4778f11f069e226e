/* Variants that slow down the clock that gpubench reads in their process. They change the program's table of functions,
 * so that its entry for clock_gettime() points to a slower clock. */
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SIMPLE_LENGTH (1 << 18)
#include "simple.h"

static int64_t true_ns(clockid_t clock) {
  struct timespec now;
  syscall(SYS_clock_gettime, clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t set_at;

static int slow_clock(clockid_t clock, struct timespec *now) {
  int64_t ns = true_ns(clock);
  if (clock == CLOCK_MONOTONIC_RAW) ns = set_at + (ns - set_at) / 3;
  now->tv_sec = ns / 1000000000;
  now->tv_nsec = ns % 1000000000;
  return 0;
}

static void replace(void **entry) {
  const uintptr_t page = (uintptr_t)entry & ~(uintptr_t)4095;
  int (*const function)(clockid_t, struct timespec *) = slow_clock;
  if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) == 0) memcpy(entry, &function, sizeof function);
}

static const ElfW(Dyn) * find(const ElfW(Dyn) * at, ElfW(Sxword) tag) {
  while (at->d_tag != tag && at->d_tag != DT_NULL)
    at++;
  return at->d_tag == tag ? at : NULL;
}

static void replace_in(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic, ElfW(Sxword) table,
                       ElfW(Sxword) size) {
  const ElfW(Dyn) *relocations = find(dynamic, table), *bytes = find(dynamic, size);
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)find(dynamic, DT_SYMTAB)->d_un.d_ptr;
  const char *names = (const char *)find(dynamic, DT_STRTAB)->d_un.d_ptr;
  if (relocations == NULL || bytes == NULL) return;
  const ElfW(Rela) *rela = (const ElfW(Rela) *)relocations->d_un.d_ptr;
  for (size_t i = 0; i < bytes->d_un.d_val / sizeof *rela; i++)
    if (strcmp(names + symbols[ELF64_R_SYM(rela[i].r_info)].st_name, "clock_gettime") == 0)
      replace((void **)(object->dlpi_addr + rela[i].r_offset));
}

static int replace_everywhere(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size, (void)data;
  if (object->dlpi_name[0] != '\0') return 0; /* only the program itself */
  for (int i = 0; i < object->dlpi_phnum; i++) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn) *dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    replace_in(object, dynamic, DT_RELA, DT_RELASZ);
    replace_in(object, dynamic, DT_JMPREL, DT_PLTRELSZ);
  }
  return 1;
}

static gb_status change_clock(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self, (void)c, (void)vstate;
  set_at = true_ns(CLOCK_MONOTONIC_RAW);
  dl_iterate_phdr(replace_everywhere, NULL);
  return GB_OK;
}

static const gb_variant good = SIMPLE_BASELINE("good");
static const gb_variant slow = {GB_SIZE(gb_variant), .name = "slow-clock",    .backend = "cpu",
                                .math = "fp32",      .prepare = change_clock, .run = simple_run};
static const gb_variant *const variants[] = {&good, &slow, NULL};
static const gb_bench bench = SIMPLE_BENCH("clocks", variants);

static gb_status clocks_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "clocks", .version = "1.0.0", .open = clocks_open};
