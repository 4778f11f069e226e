/* A run on several devices: what run.ini has of each, and whose samples are whose. */
#ifndef RECORD_DEVICES_H
#define RECORD_DEVICES_H

#include "record/run_data.h"

/* Of runs that were just read: fills their devices, says which were not measured, and gives every row its own samples:
 * in samples.csv the devices share a series, told apart by the numbers of its processes. */
void devices_take(struct run_data *data);

/* What a device is called beside others of one kind: "cuda:3", or its model where no other is of that, or its UUID. */
void devices_label(const struct run_data *data, const struct record *record, char *to, size_t size);

#endif
