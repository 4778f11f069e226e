/* The compute capability that a plugin's kernels were compiled for. */
#ifndef PLUGINS_IMAGE_H
#define PLUGINS_IMAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the compute capability that the plugin's kernels may use on the current device. `device` is the device's own
 * (10 * major + minor). The result is lower than `device` if the driver chose code that was compiled for a lower
 * architecture: a build for 8.9 alone runs on 9.0 through its PTX, without the features of 9.0. */
int64_t image_capability(int64_t device);

#ifdef __cplusplus
}
#endif

#endif
