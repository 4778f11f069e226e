/* Small functions that answer questions about a case and its tensors. */
#include "case/case.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/rng.h"
#include "model/axis.h"

bool tensor_is_output(const struct tensor *t) {
  return t->role == GB_OUT || t->role == GB_INOUT;
}

uint64_t case_draw(struct gb_case *c) {
  uint64_t number = 0;
  ssize_t got;
  if (device_is(c->device, DEVICE_SCRIPTED)) return rng_bits(rng_key(c->secret, 1), c->drawn++);
  do
    got = getrandom(&number, sizeof number, 0);
  while (got < 0 && errno == EINTR);
  if (got == (ssize_t)sizeof number) return number;
  perror("gpubench: getrandom");
  abort();
}

int64_t case_devices(const struct gb_case *c) {
  return axis_devices(&c->bench->desc, &c->point);
}

bool case_has_devices(const struct gb_case *c, char *why, size_t size) {
  const int64_t wanted = case_devices(c), here = 1 + (int64_t)c->device->other_count;
  if (wanted >= 1 && wanted <= here) return true;
  const char *axis = c->point.values[c->bench->desc.devices_axis - 1].name;
  if (wanted < 1)
    snprintf(why, size, "%s=%" PRId64 ": a case works on 1 device or more", axis, wanted);
  else
    snprintf(why, size, "%s=%" PRId64 ": here %s %" PRId64 " such device%s", axis, wanted, here == 1 ? "is" : "are",
             here, here == 1 ? "" : "s");
  return false;
}
