#include "machine/thread_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

double thread_time_s(int pid) {
  char path[64], text[512];
  unsigned long long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return NAN;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *end = strrchr(text, ')'); /* a name may hold anything */
  int found = end != NULL ? sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) : 0;
  return found == 2 ? (double)(user + system) / (double)sysconf(_SC_CLK_TCK) : NAN;
}

double thread_waited_s(int pid) {
  char path[64];
  unsigned long long waited_ns = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return NAN;
  const int found = fscanf(file, "%*u %llu", &waited_ns);
  fclose(file);
  return found == 1 ? (double)waited_ns * 1e-9 : NAN;
}
