/* Times callbacks that may do work outside all samples: `prepare` and `refresh` may compute results from inputs,
 * `after` may compute them from outputs. Their starts and ends are sent to the parent, which times them by its own
 * clock. */
#pragma once

#include "measure/slot_task.h"

/* Record the start and the end of the variant's `prepare` or `refresh`. */
void untimed_derives(struct contestant *k);
void untimed_derived(struct contestant *k);

/* Notes that a slot of `replicas` iterations per sample is about to begin. If `prepare` or `refresh` has computed
 * results from new inputs, work that other threads did since then is charged to the variant. */
void untimed_slot_begins(struct contestant *k, const struct slot_task *task, uint32_t replicas);

/* Notes that the first call of the slot is about to begin. */
void untimed_called(struct contestant *k);

/* Notes that the slot's last sample has been taken: what the variant does from now on is in no sample. Only the first
 * call of this function after a slot has an effect. */
void untimed_slot_ended(struct contestant *k, const struct slot_task *task);

/* Record the start and the end of the variant's `after`. The device must be idle at both. */
void untimed_delivers(struct contestant *k);
void untimed_delivered(struct contestant *k);

/* Watch for work ahead of a call, by other threads of the variant before the clock starts. Before the inputs of a
 * watched call (sampling_watches()) are written, the host waits until other threads are idle. The processor time that
 * they use from then until the call counts as work on the new inputs. If they do not become idle, all of their
 * processor time counts. */
void untimed_ahead_begins(struct contestant *k);
void untimed_ahead_ends(struct contestant *k);
