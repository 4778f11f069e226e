/* Allows one run at a time on a device. Each device has a lock file, in a folder that all users share, which a run
 * locks while it measures. The lock ends with the process. If there is no safe folder, nothing is locked, and `note`
 * says so. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

enum lock_policy { LOCK_WAIT, LOCK_REFUSE, LOCK_OFF };

struct lock {
  bool held;
  int fd;
  /* a sentence about the lock for run.ini, such as "held: /tmp/gpubench-cpu.lock", "off" or "none: ..." */
  char note[2 * TEXT_SIZE];
};

/* Functions of the caller that lock_take() calls while it waits for the lock. */
struct lock_waiting {
  void (*say)(const char *text); /* called once with a text for the user, after a second of waiting */
  bool (*give_up)(void);         /* called many times a second; true ends the wait */
};

/* Parses "wait", "refuse" or "off". Returns false for any other text. */
bool lock_policy_parse(const char *text, enum lock_policy *policy);

/* Takes the lock of a device, which is named by its UUID or "cpu". The lock file is in $GPUBENCH_LOCK_DIR. If that is
 * not set, it is in /tmp or, if other users could tamper with the file there, in $XDG_RUNTIME_DIR. Returns -1 with exit
 * code 4 if another process holds the lock (the message names that process if it is known), or if the caller gave
 * up. */
int lock_take(const char *device, enum lock_policy policy, const struct lock_waiting *waiting, struct lock *lock,
              struct err *err);

/* Returns true if the lock is free now, or if there is no lock. */
bool lock_is_free(const char *device);

void lock_release(struct lock *lock);
