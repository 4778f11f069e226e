/* The number of devices of a case. */
#include "case/devices.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/axis.h"

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
