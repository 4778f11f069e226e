/* Claims: which cases of a plan have been begun by jobs that run at the same time. A claim is a file in a folder that
 * the jobs share. It is created atomically, so that only one job can claim a case. A claim is never withdrawn: if a job
 * is killed, no other job measures the cases that it claimed. The job measures them when it is resumed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* claims_open() makes the folder, which lets jobs take over cases from each other. It returns false if the folder's
 * file system has no hard links: then no job takes anything over. After claims_close() all claims stay valid, but no
 * job takes anything over any more. */
bool claims_open(const char *folder);
void claims_close(const char *folder);
bool claims_are_open(const char *folder);

/* Claims case `number` for job `by`, which is about to begin the case. `of` is the job to which the case was assigned.
 * `*whose` becomes the job that claimed the case first, which may be another one. */
int claims_take(const char *folder, size_t number, uint32_t by, uint32_t of, uint32_t *whose, struct err *err);
/* Returns the job that claimed the case; 0: none; UINT32_MAX: the claim cannot be read. */
uint32_t claims_whose(const char *folder, size_t number);

/* Returns the number of cases that were begun by another job than the one to which they were assigned. */
size_t claims_taken_over(const char *folder);
