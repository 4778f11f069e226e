/* Plugins that fail while they are loaded, before gpubench calls any of their functions, and a plugin whose file is
 * changed while it runs. One fault per build: -DFAULT=FAULT_CRASH and so on. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "simple.h"

enum fault {
  FAULT_CRASH,   /* a constructor crashes */
  FAULT_EXIT,    /* a constructor ends the process */
  FAULT_HANG,    /* a constructor never returns */
  FAULT_SYMBOL,  /* uses a C++ function that does not exist */
  FAULT_LIBRARY, /* needs a library that is not found */
  /* `run` changes the plugin's file and crashes, so that the next worker process loads another file than the first
   * did */
  FAULT_SWAP,
};

/* The name by which a C++ compiler calls outer::missing(int). */
extern int missing(int) __asm__("_ZN5outer7missingEi");
int gone(int);

__attribute__((constructor)) static void construct(void) {
  if (FAULT == FAULT_CRASH) abort();
  if (FAULT == FAULT_EXIT) _exit(0);
  while (FAULT == FAULT_HANG)
    usleep(1000);
}

static gb_status swap(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  static const char here; /* the address of an object, because C cannot pass a pointer to a function to dladdr() */
  Dl_info info;
  int fd = dladdr(&here, &info) != 0 ? open(info.dli_fname, O_WRONLY | O_APPEND) : -1;
  if (fd < 0 || write(fd, "", 1) != 1) return GB_EFAIL;
  abort();
}

static const gb_variant good = SIMPLE_BASELINE("good"), swaps = SIMPLE_VARIANT("swaps", swap);
static const gb_variant *const variants[] = {&good, &swaps, NULL};
static const gb_bench bench = SIMPLE_BENCH("load", variants);

static gb_status load_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
#if defined(USE_SYMBOL)
  if (missing(1) == 2) return GB_EFAIL;
#elif defined(USE_LIBRARY)
  if (gone(1) == 2) return GB_EFAIL;
#endif
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "bad", .version = "1.0.0", .open = load_open};
