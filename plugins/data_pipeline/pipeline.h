/* Declarations of the bench `pipeline`, in which a file of records passes through all stages. The CPU and the CUDA
 * backend share them. */
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
  int32_t repeats; /* repetitions of the consumer, the last stage; they determine its cost */
  /* The input tensor: IMAGE_GEOMETRY integers for each record. In device memory if the backend is CUDA. */
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

/* The work of a stage, and the number of threads that do it. `work` returns -1 after it has recorded an error in
 * line->trouble. */
struct role {
  int stage, threads;
  int (*work)(struct line *line, int64_t chunk, int part);
};

struct lane {
  const char *name;
  struct flow_time *times;
};

/* The state of a prepared variant: the order of the work, its stages, and what the backend needs. */
struct line {
  struct pipeline *p;
  struct flow flow;
  int depth, stages;
  /* The stages. The caller's thread is the first thread of the last stage. */
  struct role roles[PIPELINE_ROLES];
  /* The rows of a timeline, for metrics and spans: one for each stage, and on CUDA also for copies and kernels. */
  struct lane lanes[PIPELINE_LANES];
  int lane_count;
  struct flow_time *times; /* the times of all chunks in all stages, see line_times() */
  bool ships;              /* true, on CUDA only: the CPU preprocesses the images, and floats are sent to the GPU */
  struct line_slot *slots; /* [depth]: the buffers of each chunk in the pipeline */
  struct line_device *device;
  struct trouble *trouble; /* the first error of the current run of the pipeline */
};

int64_t line_chunks(const struct line *line);
uint64_t line_first(const struct line *line, int64_t chunk);  /* number of the chunk's first record */
int64_t line_records(const struct line *line, int64_t chunk); /* how many records the chunk has */

/* Adds a stage with this number of threads. Metrics and spans show it under the name `lane`, or do not show it if
 * `lane` is NULL. */
void line_add_stage(struct line *line, int threads, int (*work)(struct line *line, int64_t chunk, int part),
                    const char *lane);
void line_add_lane(struct line *line, const char *lane, struct flow_time *times);

/* Returns the times of all chunks in a stage, or in a row of the timeline (a lane) that is no stage. `which` is the
 * number of the stage; the numbers of such lanes follow those of the stages. */
struct flow_time *line_times(struct line *line, int which);

/* Runs the pipeline once: all chunks pass through all stages, with at most `depth` chunks at once. */
void line_flow(struct line *line, struct trouble *trouble);

/* Reads a part of a chunk from the file to the same part of `to`. Returns -1 after it has recorded an error in
 * line->trouble. */
int line_read(struct line *line, int64_t chunk, int part, char *to);

/* Preprocesses a part of the records of a chunk on the CPU, from `from` to `to`. */
void line_preprocess(struct line *line, int64_t chunk, int part, const char *from, float *to);

/* Reports metrics and spans of the run of the pipeline that lasted from begin_ns to end_ns. */
void line_report(struct line *line, gb_case *c, int64_t begin_ns, int64_t end_ns, double cpu_seconds);

/* The two backends. `open` allocates buffers and adds stages, and `run` runs the pipeline once. */
gb_status pipeline_cpu_open(struct line *line, gb_case *c);
gb_status pipeline_cpu_run(struct line *line, gb_case *c);
void pipeline_cpu_close(struct line *line);
gb_status pipeline_cuda_open(struct line *line, gb_case *c);
gb_status pipeline_cuda_run(struct line *line, gb_case *c);
void pipeline_cuda_close(struct line *line);

#endif
