/* A plugin that logs which processes measure a case. Each call of `setup` appends the case and the process id to the
 * file PROCESSES_FILE. In case 2 the variant `other` ends its process as the environment variable PROCESSES_HOW says.
 * "kill": by SIGKILL in the second process of the case, as an administrator might. "segv": by SIGSEGV in the second and
 * in all later processes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simple.h"

enum { FATAL_CASE = 2 };

static int turns; /* number of processes so far that have called `setup` for FATAL_CASE, the case in which `other` ends
                     its process */

static int count_turns(FILE *file) {
  int count = 0, at, pid;
  rewind(file);
  while (fscanf(file, "%d %d", &at, &pid) == 2)
    count += at == FATAL_CASE;
  return count;
}

static gb_status processes_setup(const gb_bench *self, gb_case *c, void **state) {
  const char *path = getenv("PROCESSES_FILE");
  FILE *file = path != NULL ? fopen(path, "a+") : NULL;
  if (file == NULL) return gb_failf(&gb, c, GB_EFAIL, "PROCESSES_FILE names no file");
  fprintf(file, "%d %d\n", (int)gb.point->i64(c, "case"), (int)getpid());
  turns = count_turns(file);
  fclose(file);
  return simple_setup(self, c, state);
}

static gb_status other_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)vstate;
  const char *how = getenv("PROCESSES_HOW");
  if (how == NULL || gb.point->i64(c, "case") != FATAL_CASE) return GB_OK;
  if (strcmp(how, "kill") == 0 && turns == 2) raise(SIGKILL);
  if (strcmp(how, "segv") == 0 && turns >= 2) raise(SIGSEGV);
  return GB_OK;
}

static const gb_axis axis_case = {GB_SIZE(gb_axis), .type = GB_I64, .name = "case", .values = "1,2,3"};
static const gb_variant v_good = SIMPLE_BASELINE("good");
static const gb_variant v_other = {GB_SIZE(gb_variant), .name = "other",          .backend = "cpu",
                                   .math = "fp32",      .prepare = other_prepare, .run = simple_run};
static const gb_bench bench = {GB_SIZE(gb_bench),
                               .name = "processes",
                               .contract = "gpubench.org/test/processes/1",
                               .summary = "y = 2 * x",
                               .axes = (const gb_axis *const[]){&axis_case, NULL},
                               .variants = (const gb_variant *const[]){&v_good, &v_other, NULL},
                               .setup = processes_setup,
                               .reference = simple_reference};

static gb_status processes_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "processes", .version = "1.0.0", .open = processes_open};
