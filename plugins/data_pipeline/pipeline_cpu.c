/* The pipeline on the backend "cpu", whose results stay in host memory. It has the stages read, preprocess and consume,
 * each with its own threads. */
#include <stdlib.h>

#include "machine.h"
#include "pipeline.h"

struct line_slot {
  char *raw;
  float *floats;
};

static struct line_slot *cpu_slot_of(struct line *line, int64_t chunk) {
  return &line->slots[flow_slot(&line->flow, chunk)];
}

static int cpu_read_stage(struct line *line, int64_t chunk, int part) {
  return line_read(line, chunk, part, cpu_slot_of(line, chunk)->raw);
}

static int cpu_preprocess_stage(struct line *line, int64_t chunk, int part) {
  const struct line_slot *slot = cpu_slot_of(line, chunk);
  line_preprocess(line, chunk, part, slot->raw, slot->floats);
  return 0;
}

static int consume_stage(struct line *line, int64_t chunk, int part) {
  const struct pipeline *p = line->p;
  const int64_t records = line_records(line, chunk);
  consume_images(cpu_slot_of(line, chunk)->floats, &p->shape, p->repeats, records * part / p->workers,
                 records * (part + 1) / p->workers, p->sums + line_first(line, chunk));
  return 0;
}

gb_status pipeline_cpu_open(struct line *line, gb_case *c) {
  const struct layout *layout = &line->p->file.layout;
  const uint64_t floats = layout->chunk_records * (uint64_t)image_outputs(&line->p->shape);
  line->slots = calloc((size_t)line->depth, sizeof *line->slots);
  if (line->slots == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  for (int i = 0; i < line->depth; i++) {
    struct line_slot *slot = &line->slots[i];
    slot->raw = gb.mem->alloc(c, GB_MEM_HOST, layout_chunk_bytes(layout));
    slot->floats = slot->raw == NULL ? NULL : gb.mem->alloc(c, GB_MEM_HOST, floats * sizeof(float));
    if (slot->floats == NULL) return GB_ENOMEM;
  }
  line_add_stage(line, line->p->workers, cpu_read_stage, "read");
  line_add_stage(line, line->p->workers, cpu_preprocess_stage, "preprocess");
  line_add_stage(line, line->p->workers, consume_stage, "consume");
  return GB_OK;
}

gb_status pipeline_cpu_run(struct line *line, gb_case *c) {
  struct trouble trouble = TROUBLE_NONE;
  const double cpu = machine_cpu_seconds();
  const int64_t begin = now_ns();
  line_flow(line, &trouble);
  const int64_t end = now_ns();
  if (trouble.status != GB_OK) return trouble_tell(&trouble, c);
  line_report(line, c, begin, end, machine_cpu_seconds() - cpu);
  return GB_OK;
}

void pipeline_cpu_close(struct line *line) {
  free(line->slots);
}
