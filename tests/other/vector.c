/* y = 2 * x on the device `other`: as one piece of work, as many pieces, and by a variant that waits for its work. */
#include "../plugins/simple.h"
#include "other.h"

enum { PIECES = 8 };

struct piece {
  const float *x;
  float *y;
  int64_t first, end;
};

static void scale(const void *data) {
  const struct piece *piece = (const struct piece *)data;
  for (int64_t i = piece->first; i < piece->end; i++)
    piece->y[i] = 2 * piece->x[i];
}

static struct other_stream *stream_of(gb_case *c) {
  return (struct other_stream *)(void *)gb.cuda->stream(c);
}

static void enqueue(gb_case *c, int64_t pieces) {
  const float *x = (const float *)gb.tensor->data(c, "x");
  float *y = (float *)gb.tensor->data(c, "y");
  for (int64_t i = 0; i < pieces; i++) {
    const struct piece piece = {x, y, SIMPLE_N * i / pieces, SIMPLE_N * (i + 1) / pieces};
    stream_of(c)->enqueue(stream_of(c), scale, &piece, sizeof piece);
  }
}

static gb_status run_one(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  enqueue(c, 1);
  return GB_OK;
}

static gb_status run_pieces(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  enqueue(c, PIECES);
  return GB_OK;
}

static gb_status run_waiting(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  enqueue(c, 1);
  stream_of(c)->wait(stream_of(c));
  return GB_OK;
}

static gb_status run_half(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  const struct piece half = {(const float *)gb.tensor->data(c, "x"), (float *)gb.tensor->data(c, "y"), 0, SIMPLE_N / 2};
  stream_of(c)->enqueue(stream_of(c), scale, &half, sizeof half);
  return GB_OK;
}

#define OTHER(label, function, bits) \
  { GB_SIZE(gb_variant), .flags = bits, .name = label, .backend = "other", .math = "fp32", .run = function }

static const gb_variant one = OTHER("one", run_one, GB_VARIANT_BASELINE), pieces = OTHER("pieces", run_pieces, 0),
                        waits = OTHER("waits", run_waiting, 0), half = OTHER("half", run_half, 0);

static const gb_bench bench = {
    GB_SIZE(gb_bench),
    .name = "scale",
    .contract = "gpubench.org/test/other/1",
    .variants = (const gb_variant *const[]){&one, &pieces, &waits, &half, NULL},
    .setup = simple_setup,
    .reference = simple_reference,
};

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "other", .version = "1", .open = open};
