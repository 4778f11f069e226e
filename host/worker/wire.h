/* Sends and receives frames over the socket between a worker and its parent. A frame is one message with a header. */
#pragma once

#include "model/message.h"

/* The descriptor of the worker's end of its socket. */
enum { WIRE_WORKER_FD = 3 };

/* The header of a frame. `mark` is a constant that every frame has. A plugin may write other bytes to the socket; if
 * they were read as a header, the length in them could swallow the following frames. */
struct wire_head {
  uint32_t type, size, mark;
  uint32_t seal[2]; /* the seal of the frame; 0: it is not sealed */
};

struct message {
  uint32_t type, size;
  unsigned char *payload; /* owned; followed by at least one NUL */
};

/* The seal of frames. Plugins share the worker's descriptors; a frame that one of them wrote, changed or repeated does
 * not have the right seal, which is a hash of its contents, of the number of frames before it and of a key that only
 * the two ends know. */
struct wire_seal {
  bool heard, on; /* heard: a first frame has come; on: the process seals its frames, and `key` is set */
  unsigned char key[32];
  uint64_t count;
};

struct wire_head wire_head(uint32_t type, size_t size);

/* A function that receives the messages that a worker sends: it writes them to the socket, or hands them to the parent
 * if the worker runs within the parent. Returns 0. */
typedef int (*wire_taker)(void *user, enum message_type type, const void *payload, size_t size);

/* Blocks until the frame is sent. Returns -1 if the other end is gone. After wire_hurry(), sending and receiving on
 * this socket also fail if they are not done after about ten seconds, or if the run is to end. */
int wire_send(int fd, enum message_type type, const void *payload, size_t size);

void wire_hurry(int fd);

/* Sends a new key in a frame of this type, which must be the first of the process; from then on all frames of this
 * process are sealed. Call it before any plugin is loaded. */
int wire_seal_own(int fd, enum message_type type);

/* Reads exactly one frame into `message`, whose payload the caller frees. Blocks until the frame has come. Returns -1
 * for the end of the file, an invalid frame or an error. */
int wire_receive(int fd, struct message *message);

/* Reads one frame from a process that seals its frames. If the first frame is the key, it is stored in `seal`, and the
 * message has no payload. A frame without the right seal is returned with type 0. */
int wire_receive_sealed(int fd, struct wire_seal *seal, enum message_type key, struct message *message);

/* Returns the payload if it has exactly this size, for use as a struct; else NULL. */
const void *wire_as(const struct message *message, size_t size);
