/* A case (a bench with fixed parameters) on the CPU, without a worker process, for tests of tensors, verification and
 * measuring. It has the services (functions that plugins call) of a real run. */
#ifndef FIXTURE_CASE_H
#define FIXTURE_CASE_H

#include <gpubench/sugar.h>
#include <stdlib.h>

#include "base/memory.h"
#include "case/calls.h"
#include "case/case.h"
#include "case/clear.h"
#include "case/contents.h"
#include "case/services/services.h"
#include "case/tensors.h"
#include "unit.h"

struct bed {
  struct plugin plugin;
  struct bench bench;
  struct phase_page page;
  struct device *device;
  struct gb_case *c;
};

static gb_sdk gb;

static inline int bed_phase(const struct bed *bed) {
  struct phase_mark mark = {.phase = PHASE_COUNT};
  phase_read(&bed->page, &mark);
  return (int)mark.phase;
}

/* Opens a case on a cpu device; bed_close() closes both. */
static inline void bed_open(struct bed *bed) {
  struct err err = {0};
  *bed = (struct bed){0};
  bed->plugin.host = services_host;
  bed->bench.plugin = &bed->plugin;
  ASSERT_EQ_INT(gb_sdk_open(&gb, &bed->plugin.host), GB_OK);
  ASSERT_EQ_INT(device_cpu_open(&bed->device, &err), 0);
  text_copy(bed->bench.desc.name, sizeof bed->bench.desc.name, "test");
  text_copy(bed->bench.desc.contract, sizeof bed->bench.desc.contract, "gpubench.org/test/1");
  bed->c = xcalloc(1, sizeof *bed->c);
  bed->c->device = bed->device;
  bed->c->bench = &bed->bench;
  bed->c->page = &bed->page;
}

static inline void bed_close(struct bed *bed) {
  case_clear(bed->c);
  free(bed->c);
  bed->device->ops->close(bed->device);
}

/* Returns a tensor of one dimension as most tests declare it, with values from 1 to 2. */
static inline gb_tensor bed_tensor(const char *name, uint32_t role, uint32_t dtype, const int64_t *length) {
  return (gb_tensor){GB_SIZE(gb_tensor), .role = role,   .dtype = dtype,          .rank = 1,   .name = name,
                     .shape = length,    .reduction = 1, .fill = GB_FILL_UNIFORM, .fill_a = 1, .fill_b = 2};
}

/* Declares a tensor within a setup callback. Returns the message of a refusal, or "". */
static inline const char *bed_declare(struct bed *bed, gb_tensor tensor) {
  static struct outcome outcome;
  call_begin(bed->c, PHASE_SETUP, OWNER_BENCH);
  gb_status status = gb.tensor->declare(bed->c, &tensor);
  call_end(
      bed->c, GB_OK,
      &outcome); /* the callback's outcome is a failure if the declaration was refused, although GB_OK is passed here */
  ASSERT_EQ_INT(status, outcome.kind == OUTCOME_OK ? GB_OK : outcome.kind == OUTCOME_SKIP ? GB_ENOTSUP : GB_EINVAL);
  return outcome.message;
}

/* Allocates and fills the declared tensors. */
static inline void bed_fill(struct bed *bed, uint64_t seed) {
  struct err err = {0};
  ASSERT_TRUE(tensors_allocate(bed->c));
  ASSERT_EQ_INT(tensors_fill(bed->c, seed, &err), 0);
  ASSERT_EQ_STR(err.text, "");
}

#endif
