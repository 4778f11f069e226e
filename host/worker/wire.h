/* Frames over a socket. Knows nothing of what they say. */
#ifndef WORKER_WIRE_H
#define WORKER_WIRE_H

#include "model/message.h"

/* The descriptor of a worker's end of its socket. */
enum { WIRE_WORKER_FD = 3 };

struct message {
  uint32_t type, size;
  unsigned char *payload; /* owned; at least one NUL behind `size` bytes */
};

/* What a frame begins with. The mark is there so that other bytes, which a plugin wrote to the socket, are no frame:
 * taken for one they would swallow those that follow. */
struct wire_head {
  uint32_t type, size, mark;
};

struct wire_head wire_head(uint32_t type, size_t size);

/* Where messages go instead of over a socket; 0. */
typedef int (*wire_taker)(void *user, enum message_type type, const void *payload, size_t size);

/* Blocking. -1 when the other end is gone. On a socket in a hurry also when it does not take, or send, the rest of a
 * frame within ten seconds, or the run is to end. */
int wire_send(int fd, enum message_type type, const void *payload, size_t size);

void wire_hurry(int fd);

/* Blocking, likewise; reads exactly one frame into `message` (free its payload). -1 on end of file, a broken frame or
 * an error.
 */
int wire_receive(int fd, struct message *message);

/* The payload as a struct of exactly this size, or NULL. */
const void *wire_as(const struct message *message, size_t size);

#endif
