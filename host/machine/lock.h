/* One run at a time on a device: a file per device in a folder that all users share, locked while a run measures.
 * Death releases it. Where no such folder is safe there is no lock, and `note` says so. */
#ifndef MACHINE_LOCK_H
#define MACHINE_LOCK_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

enum lock_policy { LOCK_WAIT, LOCK_REFUSE, LOCK_OFF };

struct lock {
  bool held;
  int fd;
  char note[2 * TEXT_SIZE]; /* "held: /tmp/gpubench-cpu.lock", "off", "none: ..." */
};

/* What happens meanwhile is the caller's. */
struct lock_waiting {
  void (*say)(const char *text); /* once, when it takes longer than a second */
  bool (*give_up)(void);         /* asked many times a second */
};

/* "wait", "refuse", "off". False: none of them. */
bool lock_policy_parse(const char *text, enum lock_policy *policy);

/* Takes the lock of a device, named by its UUID or "cpu". The folder is $GPUBENCH_LOCK_DIR, or /tmp, or
 * $XDG_RUNTIME_DIR: the first that nobody else can tamper with. -1, exit 4: another process holds it, whose id the
 * message has where it can be known; or the caller gave up. */
int lock_take(const char *device, enum lock_policy policy, const struct lock_waiting *waiting, struct lock *lock,
              struct err *err);

/* Is it free right now? True also where there is no lock. */
bool lock_is_free(const char *device);

void lock_release(struct lock *lock);

#endif
