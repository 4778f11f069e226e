/* Declares the kernels of the md plugin. They take raw pointers and sizes and do not use the plugin interface.
 * README.md states what an iteration computes. */
#ifndef MD_KERNELS_H
#define MD_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MD_RING 1024             /* number of rows in thermo */
#define MD_WIDTH 128             /* largest number of neighbours that a list holds for an atom */
#define MD_PERSISTENT_MOST 65536 /* largest number of atoms for MD_PERSISTENT */
#define MD_ALL_PAIRS_MOST 8192   /* largest number of atoms for MD_ALL_PAIRS */
#define MD_OVERFLOWN (-1)        /* value of the clock after an atom had more than MD_WIDTH neighbours */

struct CUstream_st;

/* The memory that CUDA variants need in addition to the tensors. It is one block of device memory, `memory`. The other
 * members are byte offsets of arrays in it, which md_cuda_layout() sets. */
struct md_workspace {
  char *memory;
  int64_t positions[2]; /* float4 [n + 1]: position in the box, and number of the atom; the last entry is NaN */
  int64_t velocities;   /* float4 [n] */
  /* float4 [n + 1]: positions in the order of the cells, as they were when the cells were made; only for MD_LIST and
   * MD_CELLS */
  int64_t sorted;
  int64_t forces;     /* float4 [n], zero between iterations; only for MD_HALF */
  int64_t cell, slot; /* int [n]: cell of an atom, and its place in the cell */
  int64_t population; /* int [cells]: number of atoms in each cell; zero between iterations */
  int64_t start;      /* int [cells + 1]: where each cell begins among the sorted atoms */
  int64_t neighbours; /* int [n]: length of each atom's list, padding included */
  int64_t list;       /* int [n, MD_WIDTH]: the neighbours of each atom */
  int64_t notes;      /* int [3]: 1 after an overflow; row of thermo in this iteration; counter of a barrier */
  int64_t bytes;      /* total size */
};

/* The arguments of one iteration: `leg` leapfrog steps, which advance r and v in place. */
struct md_call {
  float *r, *v;   /* [n, 3] */
  int32_t *clock; /* [1] number of steps so far */
  double *thermo; /* [MD_RING, 4] */
  int32_t n, leg;
  float box, cutoff, skin, timestep;
  float edge_force, edge_energy; /* `force` and `energy` of md_potential in system.h */
  struct md_workspace work;
  int threads; /* number of threads of the CPU kernels */
  int blocks;  /* number of blocks of MD_PERSISTENT; md_cuda_prepare() sets it */
  void *cpu;   /* workspace of the CPU kernels, md_cpu_bytes() bytes */
  struct CUstream_st *stream;
};

enum md_method {
  MD_ALL_PAIRS,  /* computes every pair in every step */
  MD_CELLS,      /* sorts atoms by cell, and in each step searches the cells around each atom */
  MD_LIST,       /* one thread per atom reads a transposed neighbour list; atoms stay in their own order */
  MD_SORTED,     /* one thread per atom reads a transposed neighbour list; atoms are sorted by cell */
  MD_SPLIT,      /* several lanes of a warp share the neighbour list of an atom; atoms are sorted by cell */
  MD_HALF,       /* computes each pair once, adds the opposite force with atomics; atoms are sorted by cell */
  MD_PERSISTENT, /* as MD_SPLIT, with the whole iteration in one kernel */
};

/* Sets the offsets of the arrays in the workspace, and its total size. */
void md_cuda_layout(struct md_workspace *work, enum md_method method, int64_t n, float box, float reach);
/* Clears the parts of the workspace that must be zero before the first iteration, and finds how many blocks can be
 * resident at once. Returns 0 or a cudaError_t, as md_cuda_run() does. */
int md_cuda_prepare(struct md_call *call, enum md_method method);
int md_cuda_run(const struct md_call *call, enum md_method method);
const char *md_cuda_error(int code);

#ifdef __cplusplus
}
#endif
#endif
