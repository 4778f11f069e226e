/* Reads the energy of the CPU packages. */
#include "machine/rapl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/kernel_files.h"
#include "stats/energy.h"

enum { PACKAGES_MAX = 16 };
#define ZONE "/sys/class/powercap/intel-rapl:%d"
#define PMU "/sys/bus/event_source/devices/power"

struct package {
  int zone;    /* number of the package's zone (folder) in /sys/class/powercap */
  int counter; /* descriptor of a perf_event; -1: powercap is used */
  double range;
  struct energy_unwrap unwrap;
};

struct rapl {
  char root[4096], method[TEXT_SIZE];
  double joules_per_count; /* number of joules for each count of the perf_event counters */
  struct package packages[PACKAGES_MAX];
  int count;
  double first;
};

/* ---- Reading by powercap ---- */

static bool is_package(const char *root, int zone) {
  char name[TEXT_SIZE];
  return tree_text(root, name, sizeof name, ZONE "/name", zone) && strncmp(name, "package-", 8) == 0;
}

static int open_powercap(struct rapl *r, char *why, size_t size) {
  char path[4096 + 64];
  for (int zone = 0; zone < PACKAGES_MAX; zone++) {
    if (!is_package(r->root, zone)) continue;
    double range = (double)tree_number(r->root, ZONE "/max_energy_range_uj", zone) * 1e-6;
    if (tree_number(r->root, ZONE "/energy_uj", zone) < 0) {
      snprintf(path, sizeof path, "%s" ZONE "/energy_uj", r->root, zone);
      bool barred = access(path, R_OK) != 0;
      snprintf(why, size, "RAPL: " ZONE "/energy_uj: %s", zone, barred ? strerror(errno) : "no number in it");
      return -1;
    }
    r->packages[r->count++] = (struct package){.zone = zone, .counter = -1, .range = range > 0 ? range : INFINITY};
  }
  if (r->count == 0) snprintf(why, size, "RAPL: no package in /sys/class/powercap");
  return r->count > 0 ? 0 : -1;
}

/* ---- Reading by perf_event ---- */

/* Parses the event number from a text such as "event=0x02". */
static bool event_of(const char *root, unsigned long long *event) {
  char text[TEXT_SIZE], *end;
  if (!tree_text(root, text, sizeof text, PMU "/events/energy-pkg") || strncmp(text, "event=", 6) != 0) return false;
  *event = strtoull(text + 6, &end, 0);
  return end != text + 6 && *end == '\0';
}

static bool scale_of(const char *root, double *scale) {
  char text[TEXT_SIZE], *end;
  if (!tree_text(root, text, sizeof text, PMU "/events/energy-pkg.scale")) return false;
  *scale = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*scale) && *scale > 0;
}

static int open_event(unsigned type, unsigned long long event, int cpu) {
  struct perf_event_attr attr = {.type = type, .size = sizeof attr, .config = event};
  return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Opens an energy counter on one processor of each package. The kernel names one for each in a list such as "0,18". */
static int open_perf(struct rapl *r, char *why, size_t size) {
  char mask[TEXT_SIZE], *at = mask;
  unsigned long long event;
  int64_t type = tree_number(r->root, PMU "/type");
  if (type < 0 || !event_of(r->root, &event) || !scale_of(r->root, &r->joules_per_count) ||
      !tree_text(r->root, mask, sizeof mask, PMU "/cpumask"))
    return -1;
  while (*at != '\0' && r->count < PACKAGES_MAX) {
    char *end;
    long cpu = strtol(at, &end, 10);
    if (end == at || (*end != ',' && *end != '\0')) return -1;
    int counter = open_event((unsigned)type, event, (int)cpu);
    if (counter < 0) {
      snprintf(why, size, "RAPL: perf_event on CPU %ld: %s", cpu, strerror(errno));
      return -1;
    }
    r->packages[r->count++] = (struct package){.counter = counter, .range = INFINITY};
    at = *end == ',' ? end + 1 : end;
  }
  return r->count > 0 ? 0 : -1;
}

/* ---- Reading the energy by powercap or by perf_event ---- */

static double package_joules(const struct rapl *r, const struct package *p) {
  if (p->counter < 0) {
    int64_t uj = tree_number(r->root, ZONE "/energy_uj", p->zone);
    return uj < 0 ? NAN : (double)uj * 1e-6;
  }
  uint64_t count;
  return read(p->counter, &count, sizeof count) == (ssize_t)sizeof count ? (double)count * r->joules_per_count : NAN;
}

static double all_joules(struct rapl *r) {
  double sum = 0;
  for (int i = 0; i < r->count; i++) {
    struct package *p = &r->packages[i];
    double raw = package_joules(r, p);
    sum += isnan(raw) ? NAN : energy_unwrap(&p->unwrap, raw, p->range);
  }
  return sum;
}

static void close_counters(struct rapl *r) {
  for (int i = 0; i < r->count; i++)
    if (r->packages[i].counter >= 0) close(r->packages[i].counter);
  r->count = 0;
}

struct rapl *rapl_open(const char *root, char *why, size_t size) {
  struct rapl *r = xcalloc(1, sizeof *r);
  const char *way = "powercap";
  text_copy(r->root, sizeof r->root, root);
  if (open_powercap(r, why, size) != 0) {
    way = "perf_event";
    close_counters(r);
    if (open_perf(r, why, size) != 0) {
      rapl_close(r);
      return NULL;
    }
  }
  snprintf(r->method, sizeof r->method, "RAPL, %s, %d package%s", way, r->count, r->count == 1 ? "" : "s");
  r->first = all_joules(r);
  return r;
}

void rapl_close(struct rapl *r) {
  close_counters(r);
  free(r);
}

double rapl_joules(struct rapl *r) {
  return all_joules(r) - r->first;
}

const char *rapl_method(const struct rapl *r) {
  return r->method;
}
