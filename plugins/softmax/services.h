/* The host's services, which plugin.c opens and every file of the softmax plugin uses. */
#ifndef SOFTMAX_SERVICES_H
#define SOFTMAX_SERVICES_H

#include "gpubench/sugar.h"

extern gb_sdk softmax_gb;

#endif
