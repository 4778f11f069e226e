/* The conversions of storage types are shared with other plugins. */
#ifndef ACTIVATIONS_CONVERT_H
#define ACTIVATIONS_CONVERT_H

#include "../shared/convert.h"

#endif
