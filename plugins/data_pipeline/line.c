/* Runs a pipeline (struct line) for the CPU and the CUDA backend: starts its threads, does the work that both have on
 * the CPU, and reports metrics and spans. */
#include <string.h>

#include "machine.h"
#include "pipeline.h"

int64_t line_chunks(const struct line *line) {
  return (int64_t)line->p->file.layout.chunks;
}

uint64_t line_first(const struct line *line, int64_t chunk) {
  return (uint64_t)chunk * line->p->file.layout.chunk_records;
}

int64_t line_records(const struct line *line, int64_t chunk) {
  const struct layout *layout = &line->p->file.layout;
  return (int64_t)(layout_chunk_size(layout, (uint64_t)chunk) / layout->record_bytes);
}

struct flow_time *line_times(struct line *line, int which) {
  return line->times + which * line_chunks(line);
}

void line_add_lane(struct line *line, const char *lane, struct flow_time *times) {
  line->lanes[line->lane_count++] = (struct lane){lane, times};
}

void line_add_stage(struct line *line, int threads, int (*work)(struct line *line, int64_t chunk, int part),
                    const char *lane) {
  const int stage = line->stages++;
  line->roles[stage] = (struct role){.stage = stage, .threads = threads, .work = work};
  if (lane != NULL) line_add_lane(line, lane, line_times(line, stage));
}

/* ---- An iteration ---------------------------------------------------------------------------------------------- */

static void play_role(struct line *line, const struct role *role) {
  int64_t chunk;
  int part;
  while (flow_take(&line->flow, role->stage, &chunk, &part)) {
    if (role->work(line, chunk, part) != 0) {
      flow_stop(&line->flow);
      return;
    }
    flow_give(&line->flow, role->stage, chunk);
  }
}

/* Lets thread number `index` work in its stage until no work is left. The first thread numbers belong to the last
 * stage, so that number 0, the caller's thread, works in the last stage. */
static void role_task(void *context, int index) {
  struct line *line = context;
  int stage = line->stages - 1;
  while (stage > 0 && index >= line->roles[stage].threads)
    index -= line->roles[stage--].threads;
  play_role(line, &line->roles[stage]);
}

void line_flow(struct line *line, struct trouble *trouble) {
  int threads = 0;
  flow_open(&line->flow, line->stages, line->depth, line_chunks(line), now_ns);
  for (int i = 0; i < line->stages; i++) {
    line->flow.stage[i].parts = line->roles[i].threads;
    line->flow.stage[i].times = line_times(line, i);
    threads += line->roles[i].threads;
  }
  line->trouble = trouble;
  pool_run(line->p->pool, threads, role_task, line);
  flow_close(&line->flow);
}

/* ---- Stages on the CPU ------------------------------------------------------------------------------------------ */

int line_read(struct line *line, int64_t chunk, int part, char *to) {
  const struct records *file = &line->p->file;
  const uint64_t at = layout_chunk_at(&file->layout, (uint64_t)chunk);
  uint64_t from, until;
  layout_part(layout_chunk_size(&file->layout, (uint64_t)chunk), part, line->roles[0].threads, &from, &until);
  return from == until ? 0 : records_read(file, file->fd, at + from, until - from, to + from, line->trouble);
}

void line_preprocess(struct line *line, int64_t chunk, int part, const char *from, float *to) {
  const int64_t records = line_records(line, chunk);
  const int parts = line->p->workers;
  /* If the CPU preprocesses images for a GPU, the tensor `geometry` is in device memory. The CPU then reads the copy
   * `drawn` in host memory. */
  const int32_t *geometry = line->ships ? line->p->drawn : line->p->geometry;
  const struct preprocess p = {.x = (const uint8_t *)from,
                               .geometry = geometry + line_first(line, chunk) * IMAGE_GEOMETRY,
                               .y = to,
                               .shape = line->p->shape,
                               .scale = line->p->scale,
                               .n = records};
  preprocess_rows(&p, records * part / parts, records * (part + 1) / parts);
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

enum { SPANS_MAX = 4000 };

static void report_spans(const struct line *line, gb_case *c) {
  for (int64_t i = 0; i < line_chunks(line) && i < SPANS_MAX / line->lane_count; i++)
    for (int j = 0; j < line->lane_count; j++)
      add_span(c, line->lanes[j].name, i, line->lanes[j].times[i].begin_ns, line->lanes[j].times[i].end_ns);
}

/* Reports the metrics of one run of the pipeline. The overlap is (sum of the stages' times - total time) / (sum of the
 * stages' times - time of the slowest stage). It is 0 if the stages ran one after the other, and 1 if the slowest stage
 * alone determined the total time. */
void line_report(struct line *line, gb_case *c, int64_t begin_ns, int64_t end_ns, double cpu_seconds) {
  const struct layout *layout = &line->p->file.layout;
  const double total = (double)(end_ns - begin_ns), gigabytes = (double)layout_bytes(layout) * 1e-9;
  double sum = 0.0, slowest = 0.0;
  for (int i = 0; i < line->lane_count; i++) {
    char name[64];
    const double busy = (double)flow_busy_ns(line->lanes[i].times, line_chunks(line));
    snprintf(name, sizeof name, "%s/busy", line->lanes[i].name);
    gb.metric->add(c, name, busy / total);
    sum += busy;
    slowest = busy > slowest ? busy : slowest;
  }
  gb.metric->add(c, "samples", (double)layout->records / total * 1e9);
  gb.metric->add(c, "rate", gigabytes / total * 1e9);
  gb.metric->add(c, "slowest", slowest / total);
  if (sum > slowest) gb.metric->add(c, "overlap", sum > total ? (sum - total) / (sum - slowest) : 0.0);
  gb.metric->add(c, "cpu", cpu_seconds / gigabytes);
  if (spans_wanted(c)) report_spans(line, c);
}
