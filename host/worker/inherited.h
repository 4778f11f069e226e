/* What a process has from the one that started it, and plugins in a worker may change of the host: its processors, its
 * priority and its limits. Workers that come later would begin with those. */
#ifndef WORKER_INHERITED_H
#define WORKER_INHERITED_H

/* In the host, before it has a worker; again: nothing. */
void inherited_take(void);

/* In a worker, before it does anything: as it was then, as far as it may be put back. */
void inherited_restore(void);

#endif
