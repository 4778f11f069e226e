/* Finds what callbacks leave behind in places that all processes share: files in /dev/shm, /tmp, /var/tmp and
 * /dev/mqueue, and shared memory, semaphores and message queues of System V.
 *
 * The kernel records the creator of a segment of shared memory. Of other objects it is certain that the process made
 * them if they appeared during a callback, belong to its user, and the process has them open or mapped then, has
 * operated on them last, or has its number in their name. Otherwise another process may have made them at the same
 * time. Then there is a second test: case after case leaves something new in a place, or rewrites what it left there,
 * and in pauses of the same length nothing new appears. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/text.h"

struct leftovers;

/* Notes what there is now. `pid`: the process that is watched. */
struct leftovers *leftovers_new(pid_t pid);
void leftovers_free(struct leftovers *o);

void leftovers_set_process(struct leftovers *o, pid_t pid);

/* Notes what is new since the last call. `callback`: the callback that ran since then, for messages; NULL: none did, so
 * that other processes made what is new. */
void leftovers_look(struct leftovers *o, const char *callback);

/* Returns true if a pause now could tell whose the things are that appeared during callbacks. */
bool leftovers_are_doubtful(const struct leftovers *o);

/* Call this after each case, and after each pause: notes whether something new appeared in it. */
void leftovers_note_case(struct leftovers *o);
void leftovers_note_pause(struct leftovers *o);

enum leftovers_verdict { LEFTOVERS_NOTHING, LEFTOVERS_DOUBTFUL, LEFTOVERS_LEFT };

/* Writes what was left behind, such as "prepare left '/dev/shm/x' behind". Removes the objects that certainly are the
 * process's. `removed`: receives the paths of files among them; may be NULL. */
enum leftovers_verdict leftovers_judge(struct leftovers *o, struct strings *removed, char *text, size_t size);
