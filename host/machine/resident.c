#include "machine/resident.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

int64_t resident_bytes(int pid) {
  char path[48];
  long long size, resident;
  if (pid > 0)
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
  else
    snprintf(path, sizeof path, "/proc/self/statm");
  FILE *file = fopen(path, "re");
  if (file == NULL) return -1;
  int found = fscanf(file, "%lld %lld", &size, &resident);
  fclose(file);
  return found == 2 ? resident * sysconf(_SC_PAGESIZE) : -1;
}

int64_t resident_heap(void) {
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
#else
  const struct mallinfo info = mallinfo(); /* modulo 4 GiB: differences hold */
#endif
  return (int64_t)info.uordblks + (int64_t)info.hblkhd;
}
