/* The compute capability that a plugin's kernels were compiled for. */
#ifndef PLUGINS_IMAGE_H
#define PLUGINS_IMAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the compute capability that the plugin's kernels may use on the current device, whose own is `device` (10 *
 * major + minor). It is lower than the device's if the image that the driver chose was compiled for a lower virtual
 * architecture: a build for 8.9 alone runs on 9.0 through its PTX, without the features of 9.0. */
int64_t image_capability(int64_t device);

#ifdef __cplusplus
}
#endif

#endif
