/* Registers the variants of a file in this folder (its table `guests`) as a plugin. */
#include "guest.h"

#include <time.h>

gb_sdk gb;

double guest_now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct call call_of(const struct guest *guest, gb_case *c, void **state) {
  const bool rows = strcmp(guest->contract, ROWS) == 0, test = strcmp(guest->contract, TEST) == 0;
  struct call call = {.c = c, .x = gb.tensor->data(c, "x"), .y = gb.tensor->data(c, "y"), .n = gb.point->i64(c, "n")};
  if (rows) call.m = gb.point->i64(c, "m");
  if (rows) call.n *= call.m;
  if (test) call.steps = (int)gb.point->i64(c, "steps");
  call.threads = gb_threads(&gb, c, 64);
  call.stream = strcmp(guest_backend, "cuda") == 0 ? gb.cuda->stream(c) : NULL;
  call.state = state;
  return call;
}

typedef int (*step)(struct call *call);

static gb_status enter(const gb_variant *self, gb_case *c, void **state, step what, const char *name) {
  struct call call = call_of(self->user, c, state);
  const int rc = what(&call);
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EFAIL, "%s: error %d", name, rc);
}

static gb_status prepare(const gb_variant *self, gb_case *c, void **state) {
  const struct guest *guest = self->user;
  return enter(self, c, state, guest->prepare, "prepare");
}

static gb_status refresh(const gb_variant *self, gb_case *c, void *state) {
  const struct guest *guest = self->user;
  return enter(self, c, &state, guest->refresh, "refresh");
}

static gb_status before(const gb_variant *self, gb_case *c, void *state) {
  const struct guest *guest = self->user;
  return enter(self, c, &state, guest->before, "before");
}

static gb_status run(const gb_variant *self, gb_case *c, void *state) {
  const struct guest *guest = self->user;
  return enter(self, c, &state, guest->run, "run");
}

static gb_status after(const gb_variant *self, gb_case *c, void *state) {
  const struct guest *guest = self->user;
  return enter(self, c, &state, guest->after, "after");
}

static void release(const gb_variant *self, gb_case *c, void *state) {
  const struct guest *guest = self->user;
  (void)enter(self, c, &state, guest->release, "release");
}

static gb_status supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const char *contract = gb.point->contract(c);
  const bool has_types = strcmp(contract, GELU) == 0 || strcmp(contract, ROWS) == 0;
  if (!has_types || gb_axis_is(&gb, c, "dtype", "fp32")) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "fp32 only");
}

static gb_status guest_open(const gb_host *host, gb_registry *registry, void **self) {
  enum { MOST = 64 };
  static gb_variant variants[MOST];
  gb_status status = gb_sdk_open(&gb, host);
  (void)self;
  for (int i = 0; i < MOST && guests[i].name != NULL && status == GB_OK; i++) {
    const struct guest *guest = &guests[i];
    variants[i] = (gb_variant){GB_SIZE(gb_variant),
                               .flags = guest->flags | GB_VARIANT_BY_NAME,
                               .name = guest->name,
                               .backend = guest_backend,
                               .math = guest->math != NULL ? guest->math : "native",
                               .user = guest,
                               .supports = supports,
                               .prepare = guest->prepare != NULL ? prepare : NULL,
                               .refresh = guest->refresh != NULL ? refresh : NULL,
                               .before = guest->before != NULL ? before : NULL,
                               .run = run,
                               .after = guest->after != NULL ? after : NULL,
                               .release = guest->release != NULL ? release : NULL};
    status = host->attach(host, registry, guest->contract, &variants[i]);
  }
  return status;
}

static void guest_closed(const gb_host *host, void *self) {
  (void)host;
  (void)self;
  if (guest_close != NULL) guest_close();
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = guest_id, .version = "1.0.0", .open = guest_open,
                                .close = guest_closed};
