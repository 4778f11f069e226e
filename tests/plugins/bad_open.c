/* Plugins whose entry (the struct gb_plugin_v1) must be refused, or whose `open` fails. One fault per build:
 * -DFAULT=FAULT_MAGIC and so on. */
#include <gpubench/sugar.h>
#include <unistd.h>

enum fault {
  FAULT_MAGIC,    /* the entry's first bytes are not those of a gpubench plugin */
  FAULT_SHORT,    /* struct_size below that of version 1.0 of the ABI */
  FAULT_ZERO,     /* struct_size forgotten */
  FAULT_NEWER,    /* needs a minor version of the ABI that does not exist */
  FAULT_MAJOR,    /* needs another major version of the ABI */
  FAULT_NEEDED,   /* abi_needed forgotten */
  FAULT_NONSENSE, /* abi_needed is not a version */
  FAULT_LATER,    /* needs a minor version that does not exist, and sets a member that only that version has */
  FAULT_NO_ID,    /* id is NULL */
  FAULT_EMPTY_ID, /* id is "" */
  FAULT_BAD_ID,   /* id is not a valid name */
  FAULT_VERSION,  /* version is empty */
  FAULT_NULL,     /* open is NULL */
  FAULT_TAIL,     /* struct gb_plugin is larger than in this ABI, and a member beyond its end is set */
  FAULT_MESSAGE,  /* open fails with a message */
  FAULT_SILENT,   /* open fails without a message */
  FAULT_SEGV,     /* open crashes */
  FAULT_HANG,     /* open never returns */
  FAULT_STRANGE,  /* open returns an unknown status */
  FAULT_NOTHING,  /* open registers nothing */
};

static gb_status bad_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)registry;
  (void)self;
  if (FAULT == FAULT_MESSAGE) return host->fail(host, NULL, GB_ENOTSUP, "the moon is in the wrong house");
  if (FAULT == FAULT_SILENT) return GB_EFAIL;
  if (FAULT == FAULT_SEGV) *(volatile int *)NULL = 1;
  while (FAULT == FAULT_HANG)
    usleep(1000);
  if (FAULT == FAULT_STRANGE) return 77;
  return GB_OK;
}

/* The `open` of entries that must be refused. It must not be called, and logs a warning if it is, which the test
 * finds. */
static gb_status must_not_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)registry;
  (void)self;
  host->log(host, GB_LOG_WARNING, "open was entered after all");
  return GB_OK;
}

/* An entry of a later version of the ABI. It is larger than that of this header, and must be accepted if its end is
 * zero. */
struct longer {
  gb_plugin known;
  uint64_t future;
};

GB_EXPORT extern const struct longer entry __asm__("gb_plugin_v1");

const struct longer entry = {.known = {.magic = FAULT == FAULT_MAGIC ? UINT32_C(0xDEADBEEF) : GB_MAGIC,
                                       .struct_size = FAULT == FAULT_SHORT  ? (uint32_t)offsetof(gb_plugin, open)
                                                      : FAULT == FAULT_ZERO ? 0
                                                                            : (uint32_t)sizeof(struct longer),
                                       .abi_built = GB_ABI(1, 7),
                                       .abi_needed = FAULT == FAULT_NEWER || FAULT == FAULT_LATER ? GB_ABI(1, 99)
                                                     : FAULT == FAULT_MAJOR                       ? GB_ABI(2, 0)
                                                     : FAULT == FAULT_NEEDED                      ? 0
                                                     : FAULT == FAULT_NONSENSE                    ? 0x12345678
                                                                                                  : GB_ABI(1, 0),
                                       .id = FAULT == FAULT_NO_ID      ? NULL
                                             : FAULT == FAULT_EMPTY_ID ? ""
                                             : FAULT == FAULT_BAD_ID   ? "../etc/passwd"
                                                                       : "bad",
                                       .version = FAULT == FAULT_VERSION ? "" : "1.0.0",
                                       .open = FAULT == FAULT_NULL     ? NULL
                                               : FAULT < FAULT_MESSAGE ? must_not_open
                                                                       : bad_open},
                             .future = FAULT == FAULT_TAIL || FAULT == FAULT_LATER};
