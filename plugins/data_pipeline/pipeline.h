/* The bench `pipeline`: a file of records passes through all stages. Declarations that both backends share. */
#ifndef DATA_PIPELINE_PIPELINE_H
#define DATA_PIPELINE_PIPELINE_H

#include "flow.h"
#include "preprocess.h"
#include "records.h"

extern const gb_bench pipeline_bench;

/* The state of a case: its file, its tensors, and the threads of all stages. */
struct pipeline {
  struct records file;
  struct image_shape shape;
  struct image_scale scale;
  int32_t repeats; /* repetitions of the consumer, which determine its cost */
  /* The input tensor: IMAGE_GEOMETRY integers for each record; on CUDA in device memory. */
  const int32_t *geometry;
  int32_t *drawn;   /* a copy of `geometry` in host memory */
  double *expected; /* the consumer's result for each record */
  float *sums;      /* the output tensor */
  struct pool *pool;
  int workers;
  bool cold;
};

enum { PIPELINE_LANES = 4, PIPELINE_ROLES = FLOW_STAGES };

struct line;

/* A stage, and the number of its threads. `work` returns -1 after it has recorded an error in line->trouble. */
struct role {
  int stage, threads;
  int (*work)(struct line *line, int64_t chunk, int part);
};

struct lane {
  const char *name;
  struct flow_time *times;
};

/* The state of a prepared variant: the flow of an iteration, its stages, and what the backend needs. */
struct line {
  struct pipeline *p;
  struct flow flow;
  int depth, stages;
  /* The stages. The first thread of the last stage is the caller's thread. */
  struct role roles[PIPELINE_ROLES];
  /* The rows that metrics and spans show: one for each stage, and on CUDA also for copies and kernels. */
  struct lane lanes[PIPELINE_LANES];
  int lane_count;
  struct flow_time *times; /* arrays of times, of all stages and lanes */
  bool ships;              /* true, on CUDA only: the CPU preprocesses the images, and floats are sent to the GPU */
  struct line_slot *slots; /* [depth]: the buffers of each chunk in the pipeline */
  struct line_device *device;
  struct trouble *trouble; /* the first error of the current iteration */
};

int64_t line_chunks(const struct line *line);
uint64_t line_first(const struct line *line, int64_t chunk);  /* number of the chunk's first record */
int64_t line_records(const struct line *line, int64_t chunk); /* how many records the chunk has */

/* Adds a stage with this number of threads. Metrics and spans show it under the name `lane`; if that is NULL, not at
 * all. */
void line_add_stage(struct line *line, int threads, int (*work)(struct line *line, int64_t chunk, int part),
                    const char *lane);
void line_add_lane(struct line *line, const char *lane, struct flow_time *times);

/* Returns the array of times of a stage or of a lane. `which` is the number of the stage, or the number of the lane,
 * which follows those of the stages. */
struct flow_time *line_times(struct line *line, int which);

/* Runs one iteration: all chunks through all stages, in at most `depth` slots. */
void line_flow(struct line *line, struct trouble *trouble);

/* Reads a part of a chunk into its slot. */
int line_read(struct line *line, int64_t chunk, int part, char *to);

/* Preprocesses a part of a chunk's records on the CPU. */
void line_preprocess(struct line *line, int64_t chunk, int part, const char *from, float *to);

/* Reports metrics and spans of the iteration that lasted from begin_ns to end_ns. */
void line_report(struct line *line, gb_case *c, int64_t begin_ns, int64_t end_ns, double cpu_seconds);

/* The backends. `open` allocates slots and adds stages; `run` is one iteration. */
gb_status pipeline_cpu_open(struct line *line, gb_case *c);
gb_status pipeline_cpu_run(struct line *line, gb_case *c);
void pipeline_cpu_close(struct line *line);
gb_status pipeline_cuda_open(struct line *line, gb_case *c);
gb_status pipeline_cuda_run(struct line *line, gb_case *c);
void pipeline_cuda_close(struct line *line);

#endif
