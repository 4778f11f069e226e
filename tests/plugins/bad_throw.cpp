// An exception that leaves a callback.
#include <stdexcept>

#include "bad_hostile.h"

void hostile_throw() {
  throw std::runtime_error("nobody expects this one");
}
