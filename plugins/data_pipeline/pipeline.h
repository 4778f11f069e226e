/* The bench `pipeline`: a file of records through all stages. What is common to both backends. */
#ifndef DATA_PIPELINE_PIPELINE_H
#define DATA_PIPELINE_PIPELINE_H

#include "flow.h"
#include "preprocess.h"
#include "records.h"

extern const gb_bench pipeline_bench;

/* What a case consists of. */
struct pipeline {
  struct records file;
  struct image_shape shape;
  struct image_scale scale;
  int32_t repeats;         /* the consumer's cost */
  const int32_t *geometry; /* of each record: the input, where the case has it */
  int32_t *drawn;          /* the same, in the host's memory */
  double *expected;        /* the consumer's result for each record */
  float *sums;             /* the output */
  struct pool *pool;
  int workers;
  bool cold;
};

enum { PIPELINE_LANES = 4, PIPELINE_ROLES = FLOW_STAGES };

struct line;

/* A stage and the threads that work in it. `work` returns -1 with its trouble told. */
struct role {
  int stage, threads;
  int (*work)(struct line *line, int64_t chunk, int part);
};

struct lane {
  const char *name;
  struct flow_time *times;
};

/* A variant at work: the flow of an iteration, its stages, and what the backend keeps. */
struct line {
  struct pipeline *p;
  struct flow flow;
  int depth, stages;
  struct role roles[PIPELINE_ROLES]; /* a stage each; the last one's first thread is the caller's */
  struct lane lanes[PIPELINE_LANES]; /* as they are shown */
  int lane_count;
  struct flow_time *times; /* all of them */
  bool ships;              /* cuda: the CPU preprocesses, and floats are sent */
  struct line_slot *slots; /* `depth` */
  struct line_device *device;
  struct trouble *trouble; /* of this iteration */
};

int64_t line_chunks(const struct line *line);
uint64_t line_first(const struct line *line, int64_t chunk);  /* record */
int64_t line_records(const struct line *line, int64_t chunk); /* of a chunk */

/* Adds a stage with so many threads, shown as `lane`, or NULL: not shown. */
void line_add_stage(struct line *line, int threads, int (*work)(struct line *line, int64_t chunk, int part),
                    const char *lane);
void line_add_lane(struct line *line, const char *lane, struct flow_time *times);

/* Times for a stage or lane that has none yet. */
struct flow_time *line_times(struct line *line, int which);

/* One iteration: all chunks through all stages, in at most `depth` slots. */
void line_flow(struct line *line, struct trouble *trouble);

/* Reads a part of a chunk to where the chunk's slot keeps it. */
int line_read(struct line *line, int64_t chunk, int part, char *to);

/* Preprocesses a part of a chunk's records on the CPU. */
void line_preprocess(struct line *line, int64_t chunk, int part, const char *from, float *to);

/* The figures and the spans of the iteration that began and ended then. */
void line_report(struct line *line, gb_case *c, int64_t begin_ns, int64_t end_ns, double cpu_seconds);

/* The backends. `open` takes slots and adds stages; `run` is one iteration. */
gb_status pipeline_cpu_open(struct line *line, gb_case *c);
gb_status pipeline_cpu_run(struct line *line, gb_case *c);
void pipeline_cpu_close(struct line *line);
gb_status pipeline_cuda_open(struct line *line, gb_case *c);
gb_status pipeline_cuda_run(struct line *line, gb_case *c);
void pipeline_cuda_close(struct line *line);

#endif
