/* The kernels of md: raw pointers and sizes, nothing of the plugin ABI. README.md has the contracts. */
#ifndef MD_KERNELS_H
#define MD_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MD_RING 1024             /* rows of thermo */
#define MD_WIDTH 128             /* neighbours of an atom that a list has room for */
#define MD_PERSISTENT_MOST 65536 /* atoms of MD_PERSISTENT */
#define MD_ALL_PAIRS_MOST 8192   /* and of MD_ALL_PAIRS */
#define MD_OVERFLOWN (-1)        /* what the clock is set to where an atom had more */

struct CUstream_st;

/* What they work in besides the tensors. Offsets are md_cuda_layout's; `memory` is one block of the device's. */
struct md_workspace {
  char *memory;
  int64_t positions[2]; /* float4 [n + 1]: position in the box, index of the atom; the last is NaN */
  int64_t velocities;   /* float4 [n] */
  int64_t sorted;       /* float4 [n + 1]: as positions, by cell, when the cells were made: MD_LIST, MD_CELLS */
  int64_t forces;       /* float4 [n], zero between iterations: of `half` */
  int64_t cell, slot;   /* int [n]: which cell an atom is in, and its place there */
  int64_t population;   /* int [cells], zero between iterations */
  int64_t start;        /* int [cells + 1] */
  int64_t neighbours;   /* int [n] */
  int64_t list;         /* int [n, MD_WIDTH] */
  int64_t notes;        /* int [3]: whether a list overflowed; the iteration's row of thermo; a barrier's counter */
  int64_t bytes;        /* of all */
};

/* One iteration: `leg` steps of the leapfrog from r and v, which are left `leg` steps later. */
struct md_call {
  float *r, *v;   /* [n, 3] */
  int32_t *clock; /* [1] steps so far */
  double *thermo; /* [MD_RING, 4] */
  int32_t n, leg;
  float box, cutoff, skin, timestep;
  float edge_force, edge_energy; /* of the potential: see system.h */
  struct md_workspace work;
  int threads; /* cpu */
  int blocks;  /* cuda: of MD_PERSISTENT, by md_cuda_prepare */
  void *cpu;   /* cpu: workspace of cpu.c */
  struct CUstream_st *stream;
};

enum md_method {
  MD_ALL_PAIRS,  /* every pair, every step */
  MD_CELLS,      /* atoms by cell; every step looks through the cells around */
  MD_LIST,       /* a thread an atom, list transposed, atoms in their own order */
  MD_SORTED,     /* the same, atoms by cell */
  MD_SPLIT,      /* some lanes an atom, atoms by cell */
  MD_HALF,       /* each pair once, forces by atomics, atoms by cell */
  MD_PERSISTENT, /* as MD_SPLIT, the whole iteration in one kernel */
};

/* Where things lie in the workspace. */
void md_cuda_layout(struct md_workspace *work, enum md_method method, int64_t n, float box, float reach);
/* Clears what has to be clear before the first iteration, and finds out how many blocks are there at once. All return 0
 * or a cudaError_t. */
int md_cuda_prepare(struct md_call *call, enum md_method method);
int md_cuda_run(const struct md_call *call, enum md_method method);
const char *md_cuda_error(int code);

#ifdef __cplusplus
}
#endif
#endif
