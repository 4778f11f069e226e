/* Sends and receives whole frames. */
#include "worker/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"

/* Takes what was sent off the front of the parts. */
static void advance(struct msghdr *message, size_t sent) {
  for (; message->msg_iovlen > 0 && sent >= message->msg_iov->iov_len; message->msg_iov++, message->msg_iovlen--)
    sent -= message->msg_iov->iov_len;
  if (message->msg_iovlen == 0) return;
  message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + sent;
  message->msg_iov->iov_len -= sent;
}

/* Head and payload in one call, which wakes the other side once. */
int wire_send(int fd, enum message_type type, const void *payload, size_t size) {
  uint32_t head[2] = {(uint32_t)type, (uint32_t)size};
  struct iovec parts[] = {{head, sizeof head}, {(void *)(uintptr_t)payload, size}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  while (message.msg_iovlen > 0) {
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return -1;
    advance(&message, (size_t)sent);
  }
  return 0;
}

static int receive_all(int fd, void *data, size_t size) {
  char *to = data;
  while (size > 0) {
    ssize_t got = recv(fd, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    to += got;
    size -= (size_t)got;
  }
  return 0;
}

int wire_receive(int fd, struct message *message) {
  uint32_t head[2];
  *message = (struct message){0};
  if (receive_all(fd, head, sizeof head) != 0 || head[1] > MESSAGE_BYTES_MAX) return -1;
  message->type = head[0];
  message->size = head[1];
  message->payload = xcalloc(head[1] + 1, 1);
  if (receive_all(fd, message->payload, head[1]) == 0) return 0;
  free(message->payload);
  message->payload = NULL;
  return -1;
}

const void *wire_as(const struct message *message, size_t size) {
  return message->size == size ? message->payload : NULL;
}
