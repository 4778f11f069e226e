/* Frames over a socket. Knows nothing of what they say. */
#ifndef WORKER_WIRE_H
#define WORKER_WIRE_H

#include "model/message.h"

/* The descriptor of a worker's end of its socket. */
enum { WIRE_WORKER_FD = 3 };

/* What a frame begins with. The mark is there so that other bytes, which a plugin wrote to the socket, are no frame:
 * taken for one they would swallow those that follow. */
struct wire_head {
  uint32_t type, size, mark;
  uint32_t seal[2]; /* 0: not sealed */
};

struct message {
  uint32_t type, size;
  unsigned char *payload; /* owned; at least one NUL behind `size` bytes */
};

/* Plugins share the worker's descriptors: a frame that one of them wrote, changed or repeated has not the seal, which
 * is a hash of what it holds, of how many were before it and of a key that only the two ends know. */
struct wire_seal {
  bool heard, on; /* a frame came; there is a key */
  unsigned char key[32];
  uint64_t count;
};

struct wire_head wire_head(uint32_t type, size_t size);

/* Where messages go instead of over a socket; 0. */
typedef int (*wire_taker)(void *user, enum message_type type, const void *payload, size_t size);

/* Blocking. -1 when the other end is gone. On a socket in a hurry also when it does not take, or send, the rest of a
 * frame within ten seconds, or the run is to end. */
int wire_send(int fd, enum message_type type, const void *payload, size_t size);

void wire_hurry(int fd);

/* Before any plugin is loaded: tells the other end a new key, in a frame of this type that has to be the first; from
 * then on all frames of this process are sealed. */
int wire_seal_own(int fd, enum message_type type);

/* Blocking, likewise; reads exactly one frame into `message` (free its payload). -1 on end of file, a broken frame or
 * an error.
 */
int wire_receive(int fd, struct message *message);

/* The same at the other end of who seals. The key, which is taken where it is the first frame, comes as a message
 * without a payload; a frame that is not sealed as it should be has type 0. */
int wire_receive_sealed(int fd, struct wire_seal *seal, enum message_type key, struct message *message);

/* The payload as a struct of exactly this size, or NULL. */
const void *wire_as(const struct message *message, size_t size);

#endif
