/* gb.device/1 and gb.devices/1: facts, streams and memory of a case's devices. */
#pragma once

#include <gpubench/ext/device.h>
#include <gpubench/ext/devices.h>

extern const gb_device_ext services_device;
extern const gb_devices_ext services_devices;
