/* A lock that any number may hold, and that nobody could take for himself while another holds it. */
#include "device/fake_bus.h"

#include <fcntl.h>
#include <unistd.h>

static const struct flock shared = {.l_type = F_RDLCK, .l_whence = SEEK_SET}, whole = {.l_type = F_WRLCK};

int fake_bus_join(const char *path) {
  struct flock lock = shared;
  const int bus = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (bus >= 0) fcntl(bus, F_OFD_SETLK, &lock);
  return bus;
}

bool fake_bus_is_shared(int bus) {
  struct flock lock = whole;
  return bus >= 0 && fcntl(bus, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
