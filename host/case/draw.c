/* Draws random numbers from the kernel. */
#include "case/draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/rng.h"

uint64_t case_draw(struct gb_case *c) {
  uint64_t number = 0;
  ssize_t got;
  if (device_is(c->device, DEVICE_SCRIPTED)) return rng_bits(rng_key(c->secret, 1), c->drawn++);
  do
    got = getrandom(&number, sizeof number, 0);
  while (got < 0 && errno == EINTR);
  if (got == (ssize_t)sizeof number) return number;
  perror("gpubench: getrandom");
  abort();
}
