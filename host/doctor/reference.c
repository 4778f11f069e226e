/* Medians of runs at defaults of `gpubench calibrate.so`, launch included, on machines that were found fit; what a run
 * of
 * --quick shows is within a few percent of them. A model joins with the figures of that command. */
#include "doctor/reference.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct reference {
  const char *device, *what;
  double us;
};

/* clang-format off */
static const struct reference references[] = {
    /* two machines, 2026-11-25 and 2026-11-27, driver 580, CUDA 13.0 */
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/read[bytes=1073741824] vector, cold", 237},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/write[bytes=1073741824] vector, cold", 240},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/write[bytes=1073741824] memset, cold", 235},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1073741824] vector, cold", 538},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1073741824] memcpy, cold", 503},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1073741824] pack, cold", 493},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/copy[bytes=1073741824] bulk, cold", 495},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/fma[lanes=540672,steps=8192] ffma, cold", 2286},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/tensor[tiles=264,repeats=1024] mma, cold", 1764},
    {"NVIDIA H200, 150 GB, 700 W", "calibrate/tensor[tiles=264,repeats=1024] wgmma, cold", 1222},
};
/* clang-format on */

double doctor_reference_ns(const char *device, const char *what) {
  for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
    if (strcmp(references[i].device, device) == 0 && strcmp(references[i].what, what) == 0)
      return 1e3 * references[i].us;
  return NAN;
}
