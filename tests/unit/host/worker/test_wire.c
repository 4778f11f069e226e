/* Tests frames (messages with a header) over a socket: complete, too large, truncated. */
#include "worker/wire.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "unit.h"

static int ends[2];

static void open_ends(void) {
  ASSERT_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
}

static void close_end(int which) {
  close(ends[which]);
  ends[which] = -1;
}

static void close_ends(void) {
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close_end(i);
}

static void write_raw(const void *bytes, size_t size) {
  ASSERT_EQ_INT(write(ends[0], bytes, size), size);
}

/* Checks that a payload of `size` bytes arrives unchanged, followed by a NUL. */
static void comes_back(enum message_type type, const void *payload, size_t size) {
  struct message message;
  ASSERT_EQ_INT(wire_send(ends[0], type, payload, size), 0);
  ASSERT_EQ_INT(wire_receive(ends[1], &message), 0);
  ASSERT_EQ_INT(message.type, type);
  ASSERT_EQ_INT(message.size, size);
  ASSERT_TRUE(size == 0 || memcmp(message.payload, payload, size) == 0);
  ASSERT_EQ_INT(message.payload[size], 0);
  free(message.payload);
}

static void frames_round_trip(void) {
  const struct variant_report report = {.variant = 3, .status = ROW_WRONG, .figures.error = 0.5, .message = "no"};
  open_ends();
  comes_back(MSG_DONE, NULL, 0);
  comes_back(MSG_LOAD, "/tmp/x.so", sizeof "/tmp/x.so");
  comes_back(MSG_REPORT, &report, sizeof report);
  ASSERT_EQ_INT(wire_send(ends[0], MSG_LOG, "a", 1), 0); /* two frames sent at once stay two */
  comes_back(MSG_LOG, "a", 1);
  close_ends();
}

struct sending {
  size_t size;
  unsigned char *bytes;
  int rc;
};

static void *send_large(void *user) {
  struct sending *sending = user;
  sending->rc = wire_send(ends[0], MSG_LOG, sending->bytes, sending->size);
  return NULL;
}

/* The frame exceeds the socket's buffer, so both sides continue in pieces. */
static void the_largest_frame_passes(void) {
  struct sending sending = {.size = MESSAGE_BYTES_MAX, .bytes = xcalloc(MESSAGE_BYTES_MAX, 1), .rc = -1};
  struct message message;
  pthread_t thread;
  open_ends();
  for (size_t i = 0; i < sending.size; i++)
    sending.bytes[i] = (unsigned char)(i * 7 + i / 251);
  ASSERT_EQ_INT(pthread_create(&thread, NULL, send_large, &sending), 0);
  ASSERT_EQ_INT(wire_receive(ends[1], &message), 0);
  pthread_join(thread, NULL);
  ASSERT_EQ_INT(sending.rc, 0);
  ASSERT_EQ_INT(message.size, MESSAGE_BYTES_MAX);
  ASSERT_TRUE(memcmp(message.payload, sending.bytes, sending.size) == 0);
  free(message.payload);
  free(sending.bytes);
  close_ends();
}

/* Checks that nothing is received and nothing needs to be freed. */
static void broken(void) {
  struct message message = {.payload = (unsigned char *)ends};
  ASSERT_EQ_INT(wire_receive(ends[1], &message), -1);
  ASSERT_TRUE(message.payload == NULL);
  close_ends();
}

static void oversized_frames_are_refused(void) {
  static const uint32_t sizes[] = {MESSAGE_BYTES_MAX + 1, 0x80000000U, 0xFFFFFFFFU};
  for (size_t i = 0; i < 3; i++) {
    const struct wire_head head = wire_head(MSG_LOG, sizes[i]);
    open_ends();
    write_raw(&head, sizeof head);
    broken();
  }
}

static void truncated_frames_are_refused(void) {
  const struct wire_head head = wire_head(MSG_LOG, 16);
  open_ends();
  close_end(0);
  broken();
  open_ends();
  write_raw(&head, 5);
  close_end(0);
  broken();
  open_ends();
  write_raw(&head, sizeof head);
  write_raw("cut", 3);
  close_end(0);
  broken();
}

/* Bytes that a plugin writes, even if they look like a type and a size, do not consume the frames that follow. */
static void other_bytes_are_no_frame(void) {
  const uint32_t bytes[4] = {MSG_LOG, 1, 'a'};
  open_ends();
  write_raw(bytes, sizeof bytes);
  broken();
}

static void sending_to_nobody_fails(void) {
  char bytes[64] = "";
  open_ends();
  close_end(1);
  ASSERT_EQ_INT(wire_send(ends[0], MSG_LOG, bytes, sizeof bytes), -1); /* and SIGPIPE does not end the process */
  close_ends();
}

static void payloads_have_one_size(void) {
  struct case_report report;
  struct message message = {.size = sizeof report, .payload = (unsigned char *)&report};
  ASSERT_TRUE(wire_as(&message, sizeof report) == &report);
  ASSERT_TRUE(wire_as(&message, sizeof report + 1) == NULL);
  message.size--;
  ASSERT_TRUE(wire_as(&message, sizeof report) == NULL);
  message.size = 0;
  ASSERT_TRUE(wire_as(&message, sizeof report) == NULL);
}

/* Returns the type of the frame received, or 0 if its seal (a hash with a secret key) is wrong. */
static uint32_t type_received(struct wire_seal *seal) {
  struct message message;
  ASSERT_EQ_INT(wire_receive_sealed(ends[1], seal, MSG_SEAL, &message), 0);
  free(message.payload);
  return message.type;
}

static void send_again(const unsigned char *frame, size_t size, unsigned char change) {
  unsigned char bytes[128];
  memcpy(bytes, frame, size);
  bytes[size - 1] ^= change;
  write_raw(bytes, size);
}

/* Runs last, because from then on this process adds a seal (a hash with a secret key) to all frames that it sends. */
static void only_sealed_frames_count(void) {
  struct wire_seal seal = {0}, late = {.heard = true};
  const struct wire_head head = wire_head(MSG_DONE, 0);
  unsigned char frame[sizeof head + 2];
  open_ends();
  ASSERT_EQ_INT(wire_seal_own(ends[0], MSG_SEAL), 0);
  ASSERT_EQ_INT(type_received(&seal), MSG_SEAL);
  ASSERT_EQ_INT(wire_send(ends[0], MSG_LOG, "ab", 2), 0);
  ASSERT_EQ_INT(recv(ends[1], frame, sizeof frame, MSG_PEEK), sizeof frame);
  ASSERT_EQ_INT(type_received(&seal), MSG_LOG);
  send_again(frame, sizeof frame, 0); /* a frame that was sent before */
  ASSERT_EQ_INT(type_received(&seal), 0);
  write_raw(&head, sizeof head); /* a frame without a seal */
  ASSERT_EQ_INT(type_received(&seal), 0);
  ASSERT_EQ_INT(wire_send(ends[0], MSG_LOG, "ab", 2), 0);
  ASSERT_EQ_INT(recv(ends[1], frame, sizeof frame, 0), sizeof frame);
  seal.count = 1;
  send_again(frame, sizeof frame, 1); /* a frame that was changed on its way */
  ASSERT_EQ_INT(type_received(&seal), 0);
  seal.count = 1;
  send_again(frame, sizeof frame, 0);
  ASSERT_EQ_INT(type_received(&seal), MSG_LOG);
  ASSERT_EQ_INT(wire_seal_own(ends[0], MSG_SEAL), 0); /* a key is accepted only in the first frame */
  ASSERT_EQ_INT(type_received(&late), MSG_SEAL);
  ASSERT_TRUE(!late.on);
  close_ends();
}

UNIT_MAIN("wire", UNIT_TEST(frames_round_trip), UNIT_TEST(the_largest_frame_passes),
          UNIT_TEST(oversized_frames_are_refused), UNIT_TEST(truncated_frames_are_refused),
          UNIT_TEST(other_bytes_are_no_frame), UNIT_TEST(sending_to_nobody_fails), UNIT_TEST(payloads_have_one_size),
          UNIT_TEST(only_sealed_frames_count))
