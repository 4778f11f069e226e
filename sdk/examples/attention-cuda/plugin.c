/* A CUDA kernel of your own in gpubench's attention table, in fp32. `gpubench list --contract
 * gpubench.org/attention/forward/1` shows what a guest may rely on. */
#include <gpubench/sugar.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static gb_sdk gb; /* the host's services */

static gb_status supports(const gb_variant *self, gb_case *c) {
  (void)self;
  int64_t rows = gb.point->i64(c, "b") * gb.point->i64(c, "h") * gb.point->i64(c, "s"), d = gb.point->i64(c, "d");
  if (strcmp(gb.point->str(c, "dtype"), "fp32") != 0) return gb_failf(&gb, c, GB_SKIP, "fp32 only");
  if (d > 128 || d % 32 != 0)
    return gb_failf(&gb, c, GB_SKIP, "d is %lld: must be a multiple of 32, at most 128", (long long)d);
  if (rows > INT32_MAX) return gb_failf(&gb, c, GB_SKIP, "%lld queries: more than one grid holds", (long long)rows);
  return GB_OK;
}

/* What `run` needs is gathered once: its own time on the host stays small. */
static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  struct attention *p = malloc(sizeof *p);
  if (p == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  *p = (struct attention){
      .q = gb.tensor->data(c, "q"),
      .k = gb.tensor->data(c, "k"),
      .v = gb.tensor->data(c, "v"),
      .o = gb.tensor->data(c, "o"),
      .heads = gb.point->i64(c, "b") * gb.point->i64(c, "h"),
      .s = gb.point->i64(c, "s"),
      .d = gb.point->i64(c, "d"),
      .causal = strcmp(gb.point->str(c, "causal"), "yes") == 0,
  };
  *vstate = p;
  return GB_OK;
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  int error = attention_run(vstate, gb.cuda->stream(c));
  return error == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch failed: %s", attention_error(error));
}

static void release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  free(vstate);
}

static const gb_variant warp = {
    GB_SIZE(gb_variant), .name = "warp", .summary = "a warp for each query, one key after the other",
    .backend = "cuda",   .math = "fp32", .supports = supports,
    .prepare = prepare,  .run = run,     .release = release};

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/attention/forward/1", &warp) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "myattention", .version = "0.1.0", .open = open};
