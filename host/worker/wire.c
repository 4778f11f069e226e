/* Sends and receives whole frames. */
#include "worker/wire.h"

#include <errno.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "worker/signals.h"

enum { HURRY_MS = 100, FRAME_S = 10 };

void wire_hurry(int fd) {
  const struct timeval pause = {.tv_usec = HURRY_MS * 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &pause, sizeof pause);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &pause, sizeof pause);
}

/* Returns true if a send or receive that failed should be repeated. */
static bool is_worth(int64_t start_ns) {
  if (errno == EINTR && !signals_waited()) return true;
  return errno == EAGAIN && !signals_waited() && clock_now_ns() - start_ns < FRAME_S * INT64_C(1000000000);
}

/* Removes the first `sent` bytes, which were sent, from the buffers of the message. */
static void advance(struct msghdr *message, size_t sent) {
  for (; message->msg_iovlen > 0 && sent >= message->msg_iov->iov_len; message->msg_iov++, message->msg_iovlen--)
    sent -= message->msg_iov->iov_len;
  if (message->msg_iovlen == 0) return;
  message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + sent;
  message->msg_iov->iov_len -= sent;
}

struct wire_head wire_head(uint32_t type, size_t size) {
  enum { MARK = 0x67626631 };
  return (struct wire_head){type, (uint32_t)size, MARK ^ type << 24 ^ (uint32_t)size, {0}};
}

/* ---- Seals: hashes that show which frames are from the worker ---- */

static struct wire_seal own;

/* Computes the seal of the next frame. Hashes the key before and after the data, so that the hash of longer data cannot
 * be computed from it. */
static void next_seal(struct wire_seal *seal, const struct wire_head *head, const void *payload, uint32_t to[2]) {
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, seal->key, sizeof seal->key);
  SHA256Update(&context, (const uint8_t *)&seal->count, sizeof seal->count);
  SHA256Update(&context, (const uint8_t *)&head->type, sizeof head->type);
  SHA256Update(&context, payload, head->size);
  SHA256Update(&context, seal->key, sizeof seal->key);
  SHA256Final(digest, &context);
  memcpy(to, digest, 2 * sizeof *to);
  seal->count++;
}

int wire_seal_own(int fd, enum message_type type) {
  struct wire_seal seal = {.on = true};
  if (getrandom(seal.key, sizeof seal.key, 0) != (ssize_t)sizeof seal.key) return -1;
  if (wire_send(fd, type, seal.key, sizeof seal.key) != 0) return -1;
  own = seal;
  return 0;
}

static bool take_key(struct wire_seal *seal, const struct message *message) {
  if (message->size != sizeof seal->key) return false;
  memcpy(seal->key, message->payload, sizeof seal->key);
  seal->on = true;
  return true;
}

static bool is_sealed(struct wire_seal *seal, const struct wire_head *head, const struct message *message) {
  uint32_t right[2];
  if (!seal->on) return true;
  next_seal(seal, head, message->payload, right);
  return memcmp(right, head->seal, sizeof right) == 0;
}

/* Sends header and payload in one call, so that the receiver is woken once. */
int wire_send(int fd, enum message_type type, const void *payload, size_t size) {
  struct wire_head head = wire_head(type, size);
  struct iovec parts[] = {{&head, sizeof head}, {(void *)(uintptr_t)payload, size}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  const int64_t start_ns = clock_now_ns();
  if (own.on) next_seal(&own, &head, payload, head.seal);
  while (message.msg_iovlen > 0) {
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && is_worth(start_ns)) continue;
    if (sent <= 0) return -1;
    advance(&message, (size_t)sent);
  }
  return 0;
}

static int receive_all(int fd, void *data, size_t size) {
  char *to = data;
  const int64_t start_ns = clock_now_ns();
  while (size > 0) {
    ssize_t got = recv(fd, to, size, 0);
    if (got < 0 && is_worth(start_ns)) continue;
    if (got <= 0) return -1;
    to += got;
    size -= (size_t)got;
  }
  return 0;
}

static int receive(int fd, struct wire_head *head, struct message *message) {
  *message = (struct message){0};
  if (receive_all(fd, head, offsetof(struct wire_head, seal)) != 0 || head->size > MESSAGE_BYTES_MAX) return -1;
  if (head->mark != wire_head(head->type, head->size).mark) return -1;
  if (receive_all(fd, head->seal, sizeof head->seal) != 0) return -1;
  message->type = head->type;
  message->size = head->size;
  message->payload = xcalloc(head->size + 1, 1);
  if (receive_all(fd, message->payload, head->size) == 0) return 0;
  free(message->payload);
  message->payload = NULL;
  return -1;
}

int wire_receive(int fd, struct message *message) {
  struct wire_head head;
  return receive(fd, &head, message);
}

int wire_receive_sealed(int fd, struct wire_seal *seal, enum message_type key, struct message *message) {
  struct wire_head head;
  if (receive(fd, &head, message) != 0) return -1;
  const bool first = !seal->heard;
  seal->heard = true;
  if (first && message->type == key && take_key(seal, message)) {
    free(message->payload);
    message->payload = NULL;
  } else if (!is_sealed(seal, &head, message)) {
    message->type = 0;
  }
  return 0;
}

const void *wire_as(const struct message *message, size_t size) {
  return message->size == size ? message->payload : NULL;
}
