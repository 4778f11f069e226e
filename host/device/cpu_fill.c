/* Filling. */
#include "device/cpu_fill.h"

#include "base/parallel.h"
#include "model/dtype.h"
#include "model/fill_range.h"

enum { PIECE = 1 << 17 };

struct filling {
  char *memory;
  uint64_t elements;
  const struct fill *fill;
};

static void fill_piece(void *context, size_t piece) {
  const struct filling *f = (const struct filling *)context;
  const uint64_t first = (uint64_t)piece * PIECE, left = f->elements - first;
  fill_range(f->fill, first, left < PIECE ? left : PIECE, f->memory + first * dtype_bytes(f->fill->dtype));
}

int cpu_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err) {
  struct filling filling = {(char *)memory, elements, fill};
  (void)device;
  if (dtype_bytes(fill->dtype) == 0) return err_set(err, EXIT_FAILED, "fill: dtype %u is unknown", fill->dtype);
  parallel_each((size_t)((elements + PIECE - 1) / PIECE), fill_piece, &filling);
  return 0;
}
