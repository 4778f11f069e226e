/* What a plugin's kernels were compiled for. */
#ifndef PLUGINS_IMAGE_H
#define PLUGINS_IMAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the plugin's own kernels may use on the current device, whose compute capability is 10 * major + minor: that of
 * the virtual architecture that the image which the driver takes was compiled for, where it is less. A build for 8.9
 * alone runs on 9.0 by its PTX, without anything that 9.0 has more. */
int64_t image_capability(int64_t device);

#ifdef __cplusplus
}
#endif

#endif
