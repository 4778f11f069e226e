/* --lock: other runs on the same device. */
#include <stdio.h>
#include <string.h>

#include "run/devices.h"
#include "worker/signals.h"

static void say(const char *text) {
  fprintf(stderr, "gpubench: %s\n", text);
}

static bool give_up(void) {
  return signals_last() != 0;
}

/* A device whose times are made up disturbs nobody; one that its script gives a UUID is locked as if it did. */
int run_take_lock(struct run_devices *devices, const char *policy_name, struct err *err) {
  const struct device_facts *facts = &devices->pool.facts;
  const char *device = facts->uuid[0] != '\0' ? facts->uuid : facts->backend;
  const struct lock_waiting waiting = {say, give_up};
  enum lock_policy policy = LOCK_WAIT;
  lock_policy_parse(policy_name, &policy);
  if (strncmp(devices->spec, "fake", 4) == 0 && facts->uuid[0] == '\0') policy = LOCK_OFF;
  if (policy == LOCK_WAIT && !lock_is_free(device))
    pool_dismiss_all(&devices->pool); /* nothing of ours on it meanwhile */
  return lock_take(device, policy, &waiting, &devices->lock, err);
}
