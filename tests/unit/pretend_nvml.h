/* Settings that tests give their stand-in for libnvidia-ml.so.1, and its counters. */
#ifndef PRETEND_NVML_H
#define PRETEND_NVML_H

#define PRETEND_FULL 1
#define PRETEND_OLD 2
#define PRETEND_BROKEN 3
enum { PRETEND_PROCESSES = 300, PRETEND_FIELDS = 400 };

struct pretend_list {
  unsigned count, pids[PRETEND_PROCESSES];
  int many;    /* claim that the list is too short for this many processes */
  int claimed; /* claim this many entries, whatever the list holds */
};

#define PRETEND_NOT (~0U) /* the driver has no answer */

/* Values for gpubench doctor. In e2e tests, lines "member value" of the file $PRETEND_NVML set them. */
struct pretend_health {
  int on; /* 0: modes are those of struct pretend, and GPUs cannot be found by index */
  int hangs, crashes;
  unsigned count, cuda, silent; /* silent: index of a GPU that does not answer */
  char name[96];
  unsigned ecc, ecc_next, ecc_default, mig, mig_next, slices, persistence, compute_mode;
  unsigned corrected, uncorrected, ever_corrected, ever_uncorrected;
  unsigned retired, retirement_pending, rows, remap_pending, remap_failed;
  unsigned width, width_max, generation, generation_max, state;
  unsigned links, active, active_of_last; /* active_of_last is for the last GPU, `active` for the others */
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
  int init_code, failing; /* results of nvmlInit and of all queries */
  int slice;              /* the GPU's UUID is that of a MIG slice */
  int no_parent;          /* the slice does not know its GPU */
  int no_heat, no_fields; /* these queries fail alone */
  int field_status[PRETEND_FIELDS];
  unsigned long long field[PRETEND_FIELDS];
  unsigned clock, temperature, power, limit, default_limit, application_clock, default_application_clock;
  unsigned mode;              /* of ECC, MIG, persistence and compute mode */
  unsigned long long energy;  /* mJ */
  unsigned long long reasons; /* throttle reasons */
  struct pretend_list compute, graphics, mps;
  int calls, fields_asked; /* queries; fields queried */
  const void *last_gpu, *last_list_gpu;
  struct pretend_health health;
};

#endif
