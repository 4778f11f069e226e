/* Times callbacks that may do work outside all samples: `prepare` and `refresh` may compute results from inputs,
 * `after` may compute them from outputs. Their starts and ends are sent to the parent, which times them by its own
 * clock. */
#pragma once

#include "measure/turn.h"

/* The variant's `prepare` or `refresh` begins, and ends. */
void untimed_derives(struct contestant *k);
void untimed_derived(struct contestant *k);

/* A slot of `replicas` iterations per sample is about to begin: the derived results are complete. */
void untimed_slot_begins(struct contestant *k, const struct turn *turn, uint32_t replicas);

/* The first call of the slot is about to be entered. */
void untimed_called(struct contestant *k);

/* The slot's last sample has been taken: what the variant does from now on is in no sample. Only the first call after a
 * slot has an effect. */
void untimed_slot_ended(struct contestant *k, const struct turn *turn);

/* The variant's `after` begins, and ends, with the device idle. */
void untimed_delivers(struct contestant *k);
void untimed_delivered(struct contestant *k);

/* Work ahead of a call: other threads may get new inputs, and processors, before the clock starts, while the host
 * writes inputs and empties the caches. Before the inputs of a watched call (sampling_watches()) are written, the host
 * waits until other threads are idle, because threading libraries spin for some milliseconds after a call. The
 * processor time that other threads use from then until the call is attributed to the new inputs. If they do not become
 * idle, nothing shows that they did not work, and all of it counts. */
void untimed_ahead_begins(struct contestant *k);
void untimed_ahead_ends(struct contestant *k);
