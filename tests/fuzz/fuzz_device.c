/* Parses the input as the script of a scripted device (a device whose times come from a file), and times slots on that
 * device. */
#include <math.h>

#include "device/device.h"
#include "fuzz.h"

static int run_nothing(void *context) {
  (void)context;
  return 0;
}

static void time_slots(struct device *device, const char *variant) {
  const struct slot_request request = {
      .run = run_nothing, .variant = variant, .key = "vector/scale[n=1]", .count = 4, .replicas = 2};
  struct slot_state state;
  for (int round = 0; round < 3; round++) {
    struct err err = {0};
    double ns[4];
    enum slot_result result = device->ops->slot(device, &request, ns, &state, &err);
    if (result != SLOT_OK) {
      MUST(result == SLOT_DEVICE || result == SLOT_SERIAL);
      MUST(err.exit_code == EXIT_DEVICE && fuzz_printable(err.text));
      return;
    }
    for (size_t i = 0; i < 4; i++)
      MUST(isfinite(ns[i]) && ns[i] >= 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_file file = fuzz_file(data, size);
  struct device *device = NULL;
  struct err err = {0};
  if (device_fake_open(file.path, &device, &err) == 0) {
    MUST(fuzz_printable(device->facts.name) && fuzz_printable(device->facts.driver));
    time_slots(device, "plain");
    time_slots(device, "turned");
    device->ops->close(device);
  } else {
    fuzz_refused(&err, EXIT_USAGE, EXIT_DEVICE);
  }
  close(file.fd);
  return 0;
}
