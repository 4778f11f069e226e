/* One lock for all: messages are rare, and whose they are does not matter to it. */
#include "plugin/said.h"

#include <pthread.h>

static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;

void said_clear(struct said *said) {
  pthread_mutex_lock(&saying);
  said->text[0] = '\0';
  pthread_mutex_unlock(&saying);
}

void said_add(struct said *said, const char *text) {
  pthread_mutex_lock(&saying);
  if (said->text[0] == '\0') {
    text_copy(said->text, sizeof said->text, text);
    text_sanitize(said->text);
  }
  pthread_mutex_unlock(&saying);
}

bool said_copy(const struct said *said, char *to, size_t size) {
  pthread_mutex_lock(&saying);
  text_copy(to, size, said->text);
  pthread_mutex_unlock(&saying);
  return to[0] != '\0';
}
