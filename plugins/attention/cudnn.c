/* The cuDNN variants: builds the execution plans that cuDNN proposes for a case, times them on the case's stream and
 * keeps the fastest. */
#ifdef GPUBENCH_CUDA
#include "cudnn.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../shared/fastest.h"
#include "../shared/library.h"
#include "cudnn_kept.h"
#include "engine.h"

#define BUILD_S 3.0 /* after this time no further plan is built, because cuDNN may compile each plan */

struct cudnn {
  const gb_sdk *sdk;
  struct cudnn_set *set;
  void *workspace, *pack;
};

/* ---- Opening the library ---- */

static struct {
  struct cudnn_functions functions;
  char path[1024], why[1200];
  int found;
} opened;

static int find_cudnn(void *library) {
#define FIND(name) \
  if (library_find(library, #name, &opened.functions.name, opened.why, sizeof opened.why) != 0) return -1;
  CUDNN_FUNCTIONS(FIND)
#undef FIND
  return 0;
}

static void open_cudnn_once(void) {
  static const char name[] = "libcudnn.so.9";
  char ignored[64];
  void *library = library_open_cuda(name, opened.path, sizeof opened.path, opened.why, sizeof opened.why);
  if (library == NULL)
    library = library_open_pip(name, "cudnn", opened.path, sizeof opened.path, ignored, sizeof ignored);
  opened.found = library != NULL && find_cudnn(library) == 0;
}

static gb_status request_cudnn(const struct attention_cudnn_request *r, const struct cudnn_functions **functions) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_cudnn_once);
  if (!opened.found) return gb_failf(r->sdk, r->c, GB_SKIP, "no cuDNN 9 here: %s", opened.why);
  *functions = &opened.functions;
  const int version = (int)opened.functions.cudnnGetVersion();
  const gb_status status = gb_notef(r->sdk, r->c, "library", "%s", library_path_end(opened.path));
  return status != GB_OK
             ? status
             : gb_notef(r->sdk, r->c, "version", "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
}

/* ---- Choosing the fastest plan ---- */

static double monotonic_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Skips the case if cuDNN does not support it (status 3xxx); any other status is a failure. */
static gb_status cudnn_cannot(const struct attention_cudnn_request *r, const char *what, int code) {
  char text[256] = "";
  opened.functions.cudnnGetLastErrorString(text, sizeof text);
  text[strcspn(text, "\n")] = '\0';
  return gb_failf(r->sdk, r->c, code / 1000 == 3 ? GB_SKIP : GB_EDEVICE, "%s: cuDNN %s: status %d, %s", r->variant,
                  what, code, text);
}

static int64_t build_all(struct cudnn_set *n, int *code) {
  const double end = monotonic_seconds() + BUILD_S;
  int64_t most = 0;
  for (int i = 0; i < n->plans.count && (n->count == 0 || monotonic_seconds() < end); i++) {
    struct cudnn_plan *plan = &n->built[n->count];
    const int failed = cudnn_plan_build(&n->plans, i, plan);
    if (failed != 0) {
      *code = failed;
      continue;
    }
    n->count++;
    if (plan->workspace > most) most = plan->workspace;
  }
  return most;
}

static gb_status give_workspace(const struct attention_cudnn_request *r, struct cudnn *n, int64_t bytes) {
  r->sdk->mem->free(r->c, n->workspace);
  n->workspace = bytes > 0 ? r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, (uint64_t)bytes) : NULL;
  if (bytes > 0 && n->workspace == NULL) return GB_ENOMEM;
  cudnn_pack_close(&n->set->plans, n->pack);
  n->pack = cudnn_pack(&n->set->plans, &r->tensors, n->workspace);
  return n->pack != NULL ? GB_OK : cudnn_cannot(r, "takes no tensors", n->set->plans.status);
}

static int run_plan(const void *self, int way) {
  const struct cudnn *n = self;
  return cudnn_plan_run(&n->set->plans, &n->set->built[way], n->pack);
}

static void word_choice(struct cudnn_set *set, const struct fastest_time *order, int running) {
  const struct cudnn_plan *chosen = &set->built[set->chosen];
  char first[32] = "does not run"; /* time of cuDNN's first proposal, which a caller without a search would use */
  for (int i = 0; i < running; i++)
    if (order[i].way == 0) snprintf(first, sizeof first, "%.1f us", 1e3 * (double)order[i].ms);
  snprintf(set->choice, sizeof set->choice, "%d of %d: %s, workspace %lld KiB; %.1f us, plan 1 %s", set->chosen + 1,
           running, chosen->name, (long long)(chosen->workspace + 1023) / 1024, 1e3 * (double)order[0].ms, first);
}

/* Times the plans and chooses the fastest. The scratch memory of the search (FASTEST_BYTES) is freed before the chosen
 * plan gets its own workspace. */
static gb_status choose_plan(const struct attention_cudnn_request *r, struct cudnn *n) {
  struct fastest_time order[FASTEST_MOST];
  void *memory = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, FASTEST_BYTES);
  if (memory == NULL) return GB_ENOMEM;
  const struct fastest_ways ways = {run_plan, n, n->set->count, r->sdk->cuda->stream(r->c), memory};
  const int running = fastest(&ways, order);
  r->sdk->mem->free(r->c, memory);
  if (running < 1)
    return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: none of %d plans of cuDNN runs", r->variant, n->set->count);
  n->set->chosen = order[0].way;
  word_choice(n->set, order, running);
  return GB_OK;
}

static gb_status build_and_choose(const struct attention_cudnn_request *r, struct cudnn *n) {
  int code = 0;
  const int64_t most = build_all(n->set, &code);
  if (n->set->plans.count == 0) return gb_failf(r->sdk, r->c, GB_SKIP, "cuDNN has no plan for this case");
  if (n->set->count == 0) return cudnn_cannot(r, "builds no plan for this case", code);
  const gb_status status = give_workspace(r, n, most);
  return status == GB_OK ? choose_plan(r, n) : status;
}

/* ---- The variant ---- */

static void close_all(struct cudnn *n) {
  if (n->set != NULL) {
    cudnn_pack_close(&n->set->plans, n->pack);
    cudnn_kept_give(n->set);
  }
  free(n);
}

static gb_status set_up_anew(const struct attention_cudnn_request *r, struct cudnn *n, int device,
                             const struct cudnn_functions *functions) {
  n->set = calloc(1, sizeof *n->set);
  if (n->set == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "%s: no host memory", r->variant);
  n->set->device = device;
  const int code = cudnn_plans_open(&n->set->plans, functions, &r->shape, r->sdk->cuda->stream(r->c));
  return code == 0 ? build_and_choose(r, n) : cudnn_cannot(r, "does not take this case", code);
}

static gb_status move_to_stream(const struct attention_cudnn_request *r, const struct cudnn_set *set) {
  const int code = cudnn_plans_move(&set->plans, r->sdk->cuda->stream(r->c));
  return code == 0 ? GB_OK : cudnn_cannot(r, "takes no other stream", code);
}

static gb_status set_up_plans(const struct attention_cudnn_request *r, struct cudnn *n) {
  const struct cudnn_functions *functions = NULL;
  int device = 0;
  gb_status status = request_cudnn(r, &functions);
  if (status == GB_OK && cudaGetDevice(&device) != cudaSuccess)
    status = gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: no current device", r->variant);
  if (status != GB_OK) return status;
  n->set = cudnn_kept_take(device, &r->shape);
  if (n->set == NULL)
    status = set_up_anew(r, n, device, functions);
  else
    status = move_to_stream(r, n->set);
  if (status == GB_OK) status = give_workspace(r, n, n->set->built[n->set->chosen].workspace);
  return status == GB_OK ? gb_notef(r->sdk, r->c, "plan", "%s", n->set->choice) : status;
}

gb_status attention_cudnn_open(const struct attention_cudnn_request *r, void **state) {
  struct cudnn *n = calloc(1, sizeof *n);
  struct library_signals kept;
  if (n == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "%s: no host memory", r->variant);
  n->sdk = r->sdk;
  library_signals_keep(&kept);
  const gb_status status = set_up_plans(r, n);
  library_signals_put_back(&kept);
  if (status != GB_OK)
    close_all(n);
  else
    *state = n;
  return status;
}

gb_status attention_cudnn_takes(const gb_sdk *sdk, const gb_variant *self, gb_case *c) {
  const int64_t capability = sdk->device->i64(c, "compute_capability");
  if (capability < 80)
    return gb_failf(sdk, c, GB_SKIP, "%s needs compute capability 80, the device has %lld", self->name,
                    (long long)capability);
  if (gb_axis_is(sdk, c, "dtype", "fp32")) return gb_failf(sdk, c, GB_SKIP, "%s has no fp32", self->name);
  return GB_OK;
}

gb_status attention_cudnn_run(const gb_variant *self, gb_case *c, void *state) {
  const struct cudnn *n = state;
  const int code = cudnn_plan_run(&n->set->plans, &n->set->built[n->set->chosen], n->pack);
  (void)self;
  return code == 0 ? GB_OK : gb_failf(n->sdk, c, GB_EDEVICE, "cudnnBackendExecute: status %d", code);
}

void attention_cudnn_release(const gb_variant *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  close_all(state);
}

void attention_cudnn_close(void) {
  cudnn_kept_close();
}
#else
#include "cudnn.h"
#endif
