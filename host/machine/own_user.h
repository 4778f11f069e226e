/* A user id of its own for a process that runs plugin code, for as long as the process exists. The process then cannot
 * access files, memory or processes of other users, and its children can be recognized by their user. Only root can
 * provide such user ids. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct own_user {
  uid_t uid;       /* id of the user; 0: there is none */
  int held;        /* a socket whose name reserves the user */
  pid_t signaller; /* a process of the user that signals all its other processes; 0: none */
  int line;        /* a socket to the process `signaller`; -1: none */
};

#define OWN_USER_NONE ((struct own_user){.held = -1, .line = -1})

/* Returns true if this process can provide user ids of their own for processes; if not, `why` gives the reason. */
bool own_user_can(char *why, size_t size);

/* Reserves a user id that the system's user list does not have, under which no process runs, and which no other
 * gpubench has reserved. Returns -1 if no such id is left. */
int own_user_take(struct own_user *user, struct err *err);

/* Kills all processes that still run as this user, and ends the reservation of the id. */
void own_user_release(struct own_user *user);

/* Makes the calling process run as this user, without groups except those that may use the GPUs. */
int own_user_enter(const struct own_user *user, struct err *err);

/* Sends a signal to all processes of the user at once, so that none can start another one before the signal reaches it.
 * Returns false if that failed. */
bool own_user_signal(struct own_user *user, int number);
