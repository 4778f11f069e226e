/* Gives inputs other contents quickly, by copying them from a pool of values.
 *
 * Each input that the host fills gets a pool of values from the same distribution, one and a half times as many as the
 * input has. A window of the pool, from any element on and in a permuted order, is a valid input. Two windows share
 * longer runs only by chance, so nothing that a variant keeps of one window helps with another. Computing new values
 * would take ten times as long on a CPU.
 *
 * While an input holds a window, the seed of the inputs is a number that identifies the window. Outputs are compared
 * only after the former contents are restored. */
#pragma once

#include "case/case.h"

/* Allocates the inputs' pools (buffers with other values for them), fills them from `seed`, and waits for the device.
 * `*there`: whether there are any pools; false if the bench has no input that the host fills, or if the pools would
 * take more than a quarter of the free memory or of gb_case.memory_limit. -1: the device failed. */
int input_pool_open(struct gb_case *c, uint64_t seed, bool *there, struct err *err);
void input_pool_close(struct gb_case *c);

/* These functions enqueue their work on the stream; it may still be pending when they return. */

/* Copies into each input the part (window) of its pool that `number` selects. The first time, saves what the inputs
 * hold. */
int input_pool_show(struct gb_case *c, uint64_t number, struct err *err);
/* Writes to the inputs the values that they already hold, for calls that are compared with calls after
 * input_pool_show(). */
int input_pool_show_again(struct gb_case *c, struct err *err);
/* Restores the saved contents, if there are any. */
int input_pool_put_back(struct gb_case *c, struct err *err);
