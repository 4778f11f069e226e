/* What test_nvml tells its pretend libnvidia-ml.so.1, and what that counts. */
#ifndef PRETEND_NVML_H
#define PRETEND_NVML_H

#define PRETEND_FULL 1
#define PRETEND_OLD 2
#define PRETEND_BROKEN 3
enum { PRETEND_PROCESSES = 300, PRETEND_FIELDS = 400 };

struct pretend_list {
  unsigned count, pids[PRETEND_PROCESSES];
  int many;    /* the list is said to be too short for that many */
  int claimed; /* that many are said to be in it, whatever is */
};

struct pretend {
  int kind;               /* PRETEND_* */
  int init_code, failing; /* what init returns; what all questions return */
  int slice;              /* the GPU's UUID is that of a slice */
  int no_parent;          /* which does not know its GPU */
  int no_heat, no_fields; /* these fail alone */
  int field_status[PRETEND_FIELDS];
  unsigned long long field[PRETEND_FIELDS];
  unsigned clock, temperature, power, limit, default_limit, application_clock, default_application_clock;
  unsigned mode;              /* ecc, mig, persistence and compute mode */
  unsigned long long energy;  /* mJ */
  unsigned long long reasons; /* why clocks are low */
  struct pretend_list compute, graphics, mps;
  int calls, fields_asked; /* questions; fields in them */
  const void *last_gpu, *last_list_gpu;
};

#endif
