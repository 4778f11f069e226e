/* A plugin for a later major version of the ABI. It exports gb_plugin_v2 only. */
#include <gpubench/gpubench.h>

GB_EXPORT extern const uint32_t gb_plugin_v2[4];
const uint32_t gb_plugin_v2[4] = {GB_MAGIC, 16, GB_ABI(2, 0), GB_ABI(2, 0)};
