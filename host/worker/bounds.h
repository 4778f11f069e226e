/* Bounds the numbers in messages of workers. A worker runs foreign code, so any bits may arrive. A value that is not a
 * number, or that no measurement can yield, becomes unknown or the nearest possible value. Indices of variants are
 * checked where they are used. */
#pragma once

#include "model/message.h"

/* VERIFICATIONS_MOST: most verifications of one variant by one process; REPLICAS_MOST: most iterations per sample
 * (batch_size() in measure/sampling.c). */
enum { VERIFICATIONS_MOST = 1 << 20, REPLICAS_MOST = 64, DEVICES_MOST = 1024 };

/* The largest values that are accepted. BOUNDS_NS and BOUNDS_S: durations, thirty years in ns and in seconds.
 * BOUNDS_REST: the longest cooldown, as a multiple of the duration of the measurement before it (measure/pace.c).
 * BOUNDS_COUNT: numbers of bytes, operations and elements, of which two can be added without overflow. */
#define BOUNDS_NS 1e18
#define BOUNDS_S 1e9
#define BOUNDS_REST 16.0
#define BOUNDS_COUNT (UINT64_C(1) << 60)

/* Each of these functions terminates the texts in a message, makes them printable, and bounds the numbers. */
void bounds_report(struct variant_report *report);
void bounds_case(struct case_report *report);
void bounds_state(struct slot_state *state);
void bounds_untimed(struct untimed_message *message);
void bounds_facts(struct device_facts *facts);
