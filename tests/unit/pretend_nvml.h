/* Settings that tests give to the stand-in for libnvidia-ml.so.1, and counters of the queries that it received. */
#ifndef PRETEND_NVML_H
#define PRETEND_NVML_H

#define PRETEND_FULL 1
#define PRETEND_OLD 2
#define PRETEND_BROKEN 3
enum { PRETEND_PROCESSES = 300, PRETEND_FIELDS = 400 };

struct pretend_list {
  unsigned count, pids[PRETEND_PROCESSES];
  int many;    /* if not 0: answers that the caller's list is too short for this many processes */
  int claimed; /* if not 0: claims to have written this many entries, whatever the list contains */
};

#define PRETEND_NOT (~0U) /* a value for which the driver answers that it is not supported */

/* Values that gpubench doctor reads. End-to-end tests set them by lines "member value" in the file that the environment
 * variable PRETEND_NVML names. */
struct pretend_health {
  int on; /* 0: modes are those of struct pretend, not those below, and GPUs cannot be found by index */
  int hangs, crashes;
  unsigned count, cuda, silent; /* silent: index of a GPU that does not answer */
  char name[96];
  unsigned ecc, ecc_next, ecc_default, mig, mig_next, slices, persistence, compute_mode;
  unsigned corrected, uncorrected, ever_corrected, ever_uncorrected;
  unsigned retired, retirement_pending, rows, remap_pending, remap_failed;
  unsigned width, width_max, generation, generation_max, state;
  unsigned links, active, active_of_last; /* active: number of active NVLinks of each GPU except the last;
                                             active_of_last: that of the last GPU */
  unsigned slowdown, margin;
};

/* A machine with a healthy H100. */
#define PRETEND_WELL                              \
  ((struct pretend_health){.on = 1,               \
                           .count = 1,            \
                           .cuda = 13000,         \
                           .silent = PRETEND_NOT, \
                           .name = "NVIDIA H100", \
                           .ecc = 1,              \
                           .ecc_next = 1,         \
                           .ecc_default = 1,      \
                           .slices = PRETEND_NOT, \
                           .persistence = 1,      \
                           .width = 16,           \
                           .width_max = 16,       \
                           .generation = 5,       \
                           .generation_max = 5,   \
                           .links = 18,           \
                           .active = 18,          \
                           .active_of_last = 18,  \
                           .slowdown = 87,        \
                           .margin = PRETEND_NOT})

struct pretend {
  int kind;               /* PRETEND_* */
  int init_code, failing; /* init_code: result of nvmlInit; failing: result of all queries, if not 0 */
  int slice;              /* the GPU's UUID is that of a MIG slice */
  int no_parent;          /* the query for the GPU of a MIG slice fails */
  int no_heat, no_fields; /* only the queries for temperature (no_heat) or for field values (no_fields) fail */
  int field_status[PRETEND_FIELDS];
  unsigned long long field[PRETEND_FIELDS];
  unsigned clock, temperature, power, limit, default_limit, application_clock, default_application_clock;
  unsigned mode;              /* the answer to queries for ECC, MIG, persistence and compute mode */
  unsigned long long energy;  /* mJ */
  unsigned long long reasons; /* throttle reasons */
  struct pretend_list compute, graphics, mps;
  int calls, fields_asked; /* number of queries; number of fields that were queried */
  const void *last_gpu, *last_list_gpu;
  struct pretend_health health;
};

#endif
