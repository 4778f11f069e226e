/* The last of what a worker prints. */
#ifndef WORKER_PRINTED_H
#define WORKER_PRINTED_H

#include <stddef.h>

struct printed {
  char text[4096];
  size_t size;
};

void printed_add(struct printed *printed, const char *text, size_t size);

/* Its last line, printable. */
void printed_last_line(struct printed *printed, char *to, size_t size);

#endif
