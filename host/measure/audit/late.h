/* Checks that the outputs were complete when the clock of a slot's last sample stopped. */
#pragma once

#include "measure/slot_task.h"

/* Chooses at random the output elements that are checked. Called before a slot, that is consecutive samples of one
 * variant. */
void late_begin(const struct contestant *k, struct slot_task *task);

/* Looks for late writes (to outputs, after the clock stopped) when the slot has ended, before anything else reads the
 * outputs. May be called again later, to find what a thread wrote in the meantime. -1: the device failed. */
int late_look(const struct contestant *k, struct slot_task *task, struct err *err);

/* Counts the slot's doubtful samples, on which two clocks disagree. Returns true, with the message in `text`, if the
 * variant has more than a few of them: then a clock must have been changed. */
bool late_clock(struct contestant *k, const struct slot_task *task, char *text, size_t size);

/* Returns true if the variant's doubtful samples are too few for late_clock() but enough to move a median. */
bool late_may_be_clock(const struct contestant *k);

/* Writes a phrase that says which output was late, for a message. */
void late_text(const struct slot_task *task, char *text, size_t size);
