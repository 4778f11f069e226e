/* Takes the locks of devices (--lock), by which runs on the same devices exclude each other. Every run takes its locks
 * in the same order, so that no two runs on several devices wait for each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "options/device_list.h"
#include "run/devices.h"
#include "worker/signals.h"

static void print_waiting(const char *text) {
  fprintf(stderr, "gpubench: %s\n", text);
}

static bool stop_waiting(void) {
  return signals_last() != 0;
}

static const char *lock_name(const struct device_facts *facts) {
  return facts->uuid[0] != '\0' ? facts->uuid : facts->backend;
}

static int by_lock_name(const void *a, const void *b) {
  const struct device_lock *x = a, *y = b;
  return strcmp(x->name, y->name);
}

/* Lists the names to lock, each once, because a run that waits for its own lock waits for ever. */
static void list_locks(struct run_devices *devices, size_t count) {
  struct device_lock *locks = xcalloc(count, sizeof *locks);
  size_t kept = 1;
  for (size_t i = 0; i < count; i++)
    text_copy(locks[i].name, sizeof locks->name,
              lock_name(i == 0 ? &devices->pool.facts : &devices->pool.others[i - 1]));
  qsort(locks, count, sizeof *locks, by_lock_name);
  for (size_t i = 1; i < count; i++)
    if (strcmp(locks[i].name, locks[kept - 1].name) != 0) locks[kept++] = locks[i];
  devices->locks = locks;
  devices->lock_count = kept;
}

/* Takes the locks. A scripted device takes its times from a script and disturbs no other run, so it needs no lock; if
 * its script gives it a UUID, it is locked like a real one. */
int run_take_locks(struct run_devices *devices, size_t count, const char *policy_name, struct err *err) {
  const struct lock_waiting waiting = {print_waiting, stop_waiting};
  enum lock_policy policy = LOCK_WAIT;
  bool all_free = true;
  lock_policy_parse(policy_name, &policy);
  if (devices_are(devices->spec, DEVICE_SCRIPTED) && devices->pool.facts.uuid[0] == '\0') policy = LOCK_OFF;
  list_locks(devices, count);
  for (size_t i = 0; i < devices->lock_count; i++)
    all_free = all_free && lock_is_free(devices->locks[i].name);
  /* ends the workers, so that nothing of this run uses the devices while it waits */
  if (policy == LOCK_WAIT && !all_free) pool_dismiss_all(&devices->pool);
  for (size_t i = 0; i < devices->lock_count; i++)
    if (lock_take(devices->locks[i].name, policy, &waiting, &devices->locks[i].lock, err) != 0) return -1;
  return 0;
}

const char *run_lock_note(const struct run_devices *devices) {
  const char *own = lock_name(&devices->pool.facts), *note = "off";
  for (size_t i = 0; i < devices->lock_count; i++)
    if (strcmp(devices->locks[i].name, own) == 0) note = devices->locks[i].lock.note;
  return note;
}

void run_release_locks(struct run_devices *devices) {
  for (size_t i = 0; i < devices->lock_count; i++)
    lock_release(&devices->locks[i].lock);
  free(devices->locks);
  devices->locks = NULL;
  devices->lock_count = 0;
}
