/* Checks the messages that workers send, for both backends: workers as separate processes, and within this process. */
#include "worker/backend.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text.h"

/* Copies the error of a failed request. Plugin code may have written the error, so unprintable characters in its text
 * are replaced, and an exit code that does not stand for a failure becomes EXIT_FAILED. */
static void take_failure(const struct err *err, struct ending *ending) {
  ending->kind = ENDING_FAILED;
  ending->err = *err;
  ending->err.text[sizeof ending->err.text - 1] = '\0';
  text_sanitize(ending->err.text);
  if (err->text[0] == '\0') text_copy(ending->err.text, sizeof ending->err.text, "its worker failed without a message");
  if (err->exit_code < EXIT_USAGE || err->exit_code > EXIT_DEVICE) ending->err.exit_code = EXIT_FAILED;
}

bool backend_may_send(const struct message *message, const struct listener *listener) {
  if (message->type < MSG_PLUGIN || message->type >= MSG_SEAL) return false;
  if (message->type == MSG_READY) return listener != NULL && listener->ordered;
  return message->type != MSG_DONE || message->size == 0;
}

bool backend_hear(const struct message *message, const struct listener *listener, struct ending *ending) {
  const struct err *err = wire_as(message, sizeof *err);
  ending->heard = true;
  if (message->type == MSG_DONE) {
    ending->kind = ENDING_DONE;
    return true;
  }
  if (message->type == MSG_FAILED && err != NULL) {
    take_failure(err, ending);
    return true;
  }
  if (listener != NULL) listener->message(listener->user, message);
  if (message->type == MSG_READY) ending->kind = ENDING_WAITS;
  return message->type == MSG_READY;
}

void backend_remove_scratch(const struct scratch *scratch) {
  struct err err = {0};
  int base = scratch_open_base(scratch);
  if (base < 0) return;
  if (scratch_remove(base, scratch->name, scratch->uid, &err) != 0)
    fprintf(stderr, "gpubench: warning: %s/%s: %s\n", scratch->base, scratch->name, err.text);
  close(base);
}
