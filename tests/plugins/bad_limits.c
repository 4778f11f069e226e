/* Variants that exceed a memory limit, and one that starts processes, together with a baseline and another variant that
 * are right. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simple.h"

enum { HOG_BYTES = 1 << 30, GREEDY_BYTES = 1 << 30, SLEEP_S = 600 };

/* Allocates this many bytes and writes to them, because only memory that was written counts for the limit. */
static void fill(size_t bytes) {
  for (size_t done = 0; done < bytes; done += 1 << 20) {
    char *memory = malloc(1 << 20);
    if (memory != NULL) memset(memory, 1, 1 << 20);
    if (memory == NULL || (done & 0x3FFFFFF) == 0) usleep(20000);
  }
}

static gb_status hog(const gb_variant *self, gb_case *c, void *vstate) {
  fill(HOG_BYTES);
  return simple_run(self, c, vstate);
}

static gb_status hog_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  fill(HOG_BYTES);
  return GB_OK;
}

static gb_status greedy_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  *vstate = gb.mem->alloc(c, GB_MEM_DEVICE, GREEDY_BYTES);
  return *vstate != NULL ? GB_OK : GB_ENOMEM;
}

/* Tells gpubench that a library holds more device memory than the limit allows. */
static gb_status claims_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  (void)vstate;
  return gb.mem->claim(c, GB_MEM_DEVICE, GREEDY_BYTES);
}

/* Starts a process in another session whose parent ends, and which writes its id to a file in the current directory. */
static gb_status sets_out(const gb_variant *self, gb_case *c, void *vstate) {
  static int done;
  if (!done && fork() == 0) {
    setsid();
    if (fork() > 0) _exit(0);
    for (int i = 1; i < 32; i++)
      signal(i, SIG_IGN);
    FILE *file = fopen("children.txt", "a");
    if (file != NULL) fprintf(file, "%d\n", (int)getpid());
    if (file != NULL) fclose(file);
    sleep(SLEEP_S);
    _exit(0);
  }
  for (int i = 0; !done && access("children.txt", F_OK) != 0 && i < 500; i++)
    usleep(10000);
  done = 1;
  return simple_run(self, c, vstate);
}

static gb_status sets_out_and_stays(const gb_variant *self, gb_case *c, void *vstate) {
  sets_out(self, c, vstate);
  sleep(SLEEP_S);
  return GB_OK;
}

#define WITH_PREPARE(label, function) \
  { GB_SIZE(gb_variant), .name = label, .backend = "cpu", .math = "fp32", .prepare = function, .run = simple_run }

static const gb_variant good = SIMPLE_BASELINE("good"), other = SIMPLE_VARIANT("other", simple_run),
                        v_hog = SIMPLE_VARIANT("hog", hog), v_hog_prepare = WITH_PREPARE("hog_prepare", hog_prepare),
                        v_greedy = WITH_PREPARE("greedy", greedy_prepare),
                        v_claims = WITH_PREPARE("claims", claims_prepare),
                        v_sets_out = SIMPLE_VARIANT("sets_out", sets_out),
                        v_stays = SIMPLE_VARIANT("stays", sets_out_and_stays);
static const gb_variant *const variants[] = {&good,       &v_hog,   &v_hog_prepare, &v_greedy, &v_claims,
                                             &v_sets_out, &v_stays, &other,         NULL};
static const gb_bench bench = SIMPLE_BENCH("limits", variants);

static gb_status limits_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "limits", .version = "1.0.0", .open = limits_open};
