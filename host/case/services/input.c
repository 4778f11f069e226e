/* gb.input/1 and gb.progress/1: what a bench brings, and how far it is. */
#include "case/services/input.h"

#include "case/contents.h"

static gb_status input_write(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values) {
  if (!case_is(c, "gb.input/1 write")) return GB_EINVAL;
  return bench_fill_write(c, name, first, count, values) ? GB_OK : GB_EINVAL;
}

const gb_input_ext services_input = {.struct_size = sizeof(gb_input_ext), .write = input_write};

/* The parent sees the mark of a callback that was entered just now. */
static gb_status progress_step(gb_case *c, uint64_t done, uint64_t total) {
  if (!case_is(c, "gb.progress/1 step")) return GB_EINVAL;
  if (c->phase != PHASE_SETUP && c->phase != PHASE_FILL && c->phase != PHASE_PREPARE) {
    case_misuse(c, "gb.progress/1 step is for setup, fill and prepare, not %s", phase_name(c->phase));
    return GB_EINVAL;
  }
  if (done > c->progress && done <= total) {
    c->progress = done;
    phase_go_on(c->page);
  }
  return GB_OK;
}

const gb_progress_ext services_progress = {.struct_size = sizeof(gb_progress_ext), .step = progress_step};
