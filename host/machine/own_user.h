/* Users that exist only as long as a process of foreign code: it can reach nobody else's files, memory or processes,
 * and all that it starts is known by it. Only root has any to give. */
#ifndef MACHINE_OWN_USER_H
#define MACHINE_OWN_USER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct own_user {
  uid_t uid;       /* 0: none */
  int held;        /* a socket whose name nobody else can take meanwhile */
  pid_t signaller; /* a process of the user that signals all others of it; 0: none */
  int line;        /* to it; -1 */
};

#define OWN_USER_NONE ((struct own_user){.held = -1, .line = -1})

/* Whether this process may give any, and why not. */
bool own_user_can(char *why, size_t size);

/* One that is in no list of users, owns no process, and is no other gpubench's. -1: there is none. */
int own_user_take(struct own_user *user, struct err *err);

/* Ends all that still runs as it. */
void own_user_release(struct own_user *user);

/* The calling process becomes this user, in no group but those whose members may use the GPUs. */
int own_user_enter(const struct own_user *user, struct err *err);

/* Sends a signal to all processes of the user at once: none of them can start another meanwhile. False: it could not
 * be done. */
bool own_user_signal(struct own_user *user, int number);

#endif
