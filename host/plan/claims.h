/* Which cases of a plan jobs have begun that run at the same time: a file for each in a folder of theirs, made by the
 * first and there whole or not at all. None is ever taken back: whoever was killed goes on with its own. */
#ifndef PLAN_CLAIMS_H
#define PLAN_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Makes the folder, from which on jobs may take cases over from each other. False: its file system has no links, and
 * nobody does. Closed, all that was claimed stays so, but nobody takes anything over any more. */
bool claims_open(const char *folder);
void claims_close(const char *folder);
bool claims_are_open(const char *folder);

/* Claims the case with this number for the job `by`, which begins it next, where it is the share of job `of`. `whose`
 * it is then: the first one's. */
int claims_take(const char *folder, size_t number, uint32_t by, uint32_t of, uint32_t *whose, struct err *err);
/* 0: nobody's; UINT32_MAX: that cannot be read. */
uint32_t claims_whose(const char *folder, size_t number);

/* Cases that another job has begun than that whose share they are. */
size_t claims_taken_over(const char *folder);

#endif
