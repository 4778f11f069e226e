#include "machine/resident.h"

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
