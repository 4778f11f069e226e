/* Sends and receives frames over a socket. Knows nothing of their contents. */
#pragma once

#include "model/message.h"

/* The descriptor of the worker's end of its socket. */
enum { WIRE_WORKER_FD = 3 };

/* The header of a frame. The mark tells it from other bytes that a plugin wrote to the socket and that would swallow
 * the following frames. */
struct wire_head {
  uint32_t type, size, mark;
  uint32_t seal[2]; /* 0: not sealed */
};

struct message {
  uint32_t type, size;
  unsigned char *payload; /* owned; followed by at least one NUL */
};

/* The seal of frames. Plugins share the worker's descriptors; a frame that one of them wrote, changed or repeated does
 * not have the right seal, which is a hash of its contents, of the number of frames before it and of a key that only
 * the two ends know. */
struct wire_seal {
  bool heard, on; /* heard: a frame has come; on: there is a key */
  unsigned char key[32];
  uint64_t count;
};

struct wire_head wire_head(uint32_t type, size_t size);

/* Takes messages in place of a socket; returns 0. */
typedef int (*wire_taker)(void *user, enum message_type type, const void *payload, size_t size);

/* Blocks until the frame is sent. -1: the other end is gone. With wire_hurry() also -1 if the other end does not take,
 * or send, the rest of a frame within ten seconds, or if the run is to end. */
int wire_send(int fd, enum message_type type, const void *payload, size_t size);

void wire_hurry(int fd);

/* Call it before any plugin is loaded: sends a new key in a frame of this type, which must be the first; from then on
 * all frames of this process are sealed. */
int wire_seal_own(int fd, enum message_type type);

/* Blocks as well; reads exactly one frame into `message` (free its payload). -1: end of file, an invalid frame or an
 * error. */
int wire_receive(int fd, struct message *message);

/* The same at the other end of a process that seals its frames. If the first frame is the key, it is stored, and the
 * message has no payload; a frame without the right seal has type 0. */
int wire_receive_sealed(int fd, struct wire_seal *seal, enum message_type key, struct message *message);

/* Returns the payload as a struct of exactly this size, or NULL. */
const void *wire_as(const struct message *message, size_t size);
