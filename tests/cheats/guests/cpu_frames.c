/* A cheating variant that sends messages in the worker's format through the worker's socket, so that the host reads
 * forged times. The format is public, as is the source of the host. */
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest.h"
#include "model/message.h"

const char guest_id[] = "frames", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

enum { SOCKET = 3, MARK = 0x67626631, PLACE = 1 };

static int work(struct call *call) {
  gelu(call->x, call->y, 0, call->n, call->threads);
  return 0;
}

static void say(uint32_t type, const void *payload, size_t size) {
  uint32_t head[] = {type, (uint32_t)size, MARK ^ type << 24 ^ (uint32_t)size, 0, 0};
  struct iovec parts[] = {{head, sizeof head}, {(void *)(uintptr_t)payload, size}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  (void)!sendmsg(SOCKET, &message, MSG_NOSIGNAL);
}

/* Sends messages which report that a batch of calls took a tenth of the real time per call. */
static void forge_batch(double ns) {
  struct mark_message mark = {.variant = PLACE, .iterations = 100, .begins = 1, .queued = 1};
  say(MSG_MARK, &mark, sizeof mark);
  usleep((useconds_t)(100 * ns / 1000));
  mark.begins = 0;
  mark.claimed_ns = 100 * ns;
  say(MSG_MARK, &mark, sizeof mark);
}

static int slots_run(struct call *call) {
  static int calls;
  const double start = guest_now_ns();
  work(call);
  const double ns = (guest_now_ns() - start) / 10;
  if (++calls < 30) return 0;
  struct slot_message slot = {.variant = PLACE, .round = (uint32_t)calls / 8, .count = 8};
  for (int i = 0; i < 8; i++)
    slot.ns[i] = ns * (1 + 0.01 * (i % 3));
  for (int i = 0; i < 4; i++)
    say(MSG_SLOT, &slot, offsetof(struct slot_message, ns) + slot.count * sizeof *slot.ns);
  if (calls % 50 == 0) forge_batch(ns);
  return 0;
}

const struct guest guests[] = {{"slots", GELU, .run = slots_run}, {"frames-honest", GELU, .run = work}, {.name = NULL}};
