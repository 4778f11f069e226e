/* Descriptions of what plugins bring (benches, variants, settings, tensors), as the parent and the workers hold them:
 * bounded structs without pointers, so that they can be sent between processes. Everything in them is checked before
 * use. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/conditions.h"

enum { AXES_MAX = 16, PRESETS_MAX = 64, VARIANTS_MAX = 256, BACKENDS_MAX = 16, AXIS_VALUES_MAX = 4096 };
enum { PLUGIN_BENCHES_MAX = 256, PLUGIN_VARIANTS_MAX = 4096 };

enum axis_type { AXIS_I64 = 1, AXIS_F64 = 2, AXIS_STR = 3 }; /* GB_I64, GB_F64, GB_STR */

struct axis_desc {
  uint32_t type; /* enum axis_type */
  uint32_t default_count;
  char name[ID_SIZE], unit[TEXT_SIZE], summary[TEXT_SIZE];
  char choices[EXPR_SIZE]; /* AXIS_STR only */
  char values[EXPR_SIZE];
  struct {
    char backend[ID_SIZE], values[EXPR_SIZE];
  } defaults[BACKENDS_MAX];
};

struct preset_desc {
  char name[ID_SIZE], summary[TEXT_SIZE];
  char point[EXPR_SIZE];
  char backends[TEXT_SIZE]; /* comma-separated names of the backends on which the preset is a default; empty: it runs
                               only if the user names it */
};

struct bench_desc {
  char name[ID_SIZE], contract[TEXT_SIZE], summary[TEXT_SIZE];
  uint32_t flags, axis_count, preset_count;
  /* 1 + the index of the axis whose value is the number of devices of a case; 0: a case has one device */
  uint32_t devices_axis;
  uint32_t contract_minor; /* latest minor of the contract */
  struct axis_desc axes[AXES_MAX];
  struct preset_desc presets[PRESETS_MAX];
};

#define BENCH_STATEFUL UINT32_C(1) /* GB_BENCH_STATEFUL */
#define BENCH_ITERABLE UINT32_C(2) /* GB_BENCH_ITERABLE */
#define BENCH_ENERGY UINT32_C(4)   /* GB_BENCH_ENERGY */
#define BENCH_NO_ROOF UINT32_C(8)  /* GB_BENCH_NO_ROOF */
#define BENCH_BY_NAME UINT32_C(32) /* GB_BENCH_BY_NAME */

#define VARIANT_BASELINE UINT32_C(1)    /* GB_VARIANT_BASELINE */
#define VARIANT_DERIVED UINT32_C(2)     /* GB_VARIANT_DERIVED */
#define VARIANT_SYNC UINT32_C(4)        /* GB_VARIANT_SYNC */
#define VARIANT_YARDSTICK UINT32_C(16)  /* GB_VARIANT_YARDSTICK */
#define VARIANT_BY_NAME UINT32_C(32)    /* GB_VARIANT_BY_NAME */
#define VARIANT_PROCESSES UINT32_C(128) /* GB_VARIANT_PROCESSES */

struct variant_desc {
  char name[ID_SIZE], summary[TEXT_SIZE], backend[ID_SIZE], math[ID_SIZE];
  char contract[TEXT_SIZE]; /* contract (name of the interface) of the bench that the variant implements */
  /* index of its bench among the benches of its plugin; -1 for a guest (a variant of another plugin's bench) */
  int32_t bench;
  uint32_t flags;
  uint32_t has_after;      /* 1: the variant has an `after` callback */
  uint32_t contract_minor; /* minor of the contract that a guest was written for */
};

/* A setting is an option that a plugin declares through the service gb.option/2. It has one value in a run. */
enum { SETTINGS_MAX = 32, SETTING_SIZE = 4096 };

struct setting_desc {
  uint32_t type; /* enum axis_type */
  uint32_t reserved;
  char name[ID_SIZE], unit[TEXT_SIZE], summary[TEXT_SIZE];
  char choices[EXPR_SIZE]; /* "read,mmap"; for numbers the ends of a range, "1:64"; empty: any value */
  char value[EXPR_SIZE];   /* the default value, as the plugin wrote it */
};

struct setting_value {
  int64_t i64;
  double f64;
  char text[SETTING_SIZE]; /* the value as text; numbers in canonical spelling */
};

struct plugin_desc {
  char id[ID_SIZE], version[TEXT_SIZE], build[TEXT_SIZE], summary[TEXT_SIZE];
  uint32_t abi_built, bench_count, variant_count, setting_count;
  uint32_t left_out_count; /* number of benches and variants that are left out because they need a newer host */
  uint32_t left_out_bench; /* 1: the first that is left out is a bench, 0: a variant */
  char left_out[MSG_SIZE]; /* the first one that is left out, and why */
};

/* A plugin as the parent knows it. Variants are in registration order; a worker is told a variant's index in that
 * order. */
struct catalog_plugin {
  char path[4096];     /* absolute */
  char label[ID_SIZE]; /* label of this build of the plugin: "old"; empty: none */
  /* hash of the plugin's file and of the files that it brings along (libraries, modules, data), computed when the
   * plugin was inspected */
  char sha256[65];
  /* a stamp that changes when the file changes; empty: unknown, as for a plugin that itself loads further files */
  char stamp[65];
  char warning[MSG_SIZE]; /* a warning about the owner or the mode of the file; empty: none */
  struct plugin_desc desc;
  struct bench_desc *benches;    /* desc.bench_count */
  struct variant_desc *variants; /* desc.variant_count */
  struct catalog_setting {
    struct setting_desc desc;
    struct setting_value value; /* the value that the setting has in this run */
    char *origin;               /* what set the value, such as "command line"; NULL: it is the default */
  } * settings;                 /* desc.setting_count */
};

struct catalog {
  struct catalog_plugin *plugins;
  size_t count;
};

/* The value of one axis. A struct point has one for each axis of the bench, in the bench's order. */
struct axis_value {
  char name[ID_SIZE];
  uint32_t type; /* enum axis_type */
  uint32_t reserved;
  int64_t i64;
  double f64;
  char str[ID_SIZE]; /* AXIS_STR: the value; for other types the value as written in keys */
};

struct point {
  uint32_t count;
  uint32_t reserved;
  char preset[ID_SIZE]; /* name of the preset (named set of axis values) that the point came from; empty: none */
  struct axis_value values[AXES_MAX];
};

/* The graph in which a variant's `prepare` describes the work: the kernels that the variant launches and the tensors
 * that it keeps in memory. */
enum { GRAPH_NODES_MAX = 64, GRAPH_EDGES_MAX = 128 };
enum graph_kind {
  GRAPH_KERNEL = 1,
  GRAPH_COPY,
  GRAPH_MEMSET,
  GRAPH_HOST,
  GRAPH_TENSOR,
  GRAPH_KIND_END
}; /* GB_NODE_* */

struct graph_node {
  uint32_t kind; /* enum graph_kind */
  uint32_t reserved;
  uint64_t flops, bytes; /* 0: not stated */
  char id[ID_SIZE], label[TEXT_SIZE], note[TEXT_SIZE];
};

struct graph_edge {
  uint32_t from, to; /* indices of nodes */
  uint64_t bytes;    /* 0: not stated */
  char label[TEXT_SIZE];
};

struct graph_desc {
  uint32_t node_count, edge_count;
  struct graph_node nodes[GRAPH_NODES_MAX];
  struct graph_edge edges[GRAPH_EDGES_MAX];
};

/* A tensor as a bench's `setup` declares it. */
enum { TENSORS_MAX = 256, RANK_MAX = 8 };

struct tensor_desc {
  char name[ID_SIZE];
  uint32_t role, dtype, rank, fill; /* role: GB_IN, ...; dtype: GB_DTYPE_F32, ...; fill: GB_FILL_UNIFORM, ... */
  int64_t shape[RANK_MAX], strides[RANK_MAX];
  uint64_t bytes; /* bytes of the tensor's storage, from the first element to the last */
  uint64_t align, offset, reduction;
  double fill_a, fill_b;
  /* tolerance that the bench sets; 0: none, so it is derived from type, math mode and length of the reduction */
  double tolerance;
  uint32_t exact;  /* 1: the values are compared bit for bit */
  uint32_t memory; /* GB_MEM_DEVICE, ... */
};

/* A device as described by the worker that opened it. -1 and empty strings: not known. */
struct device_facts {
  char backend[ID_SIZE]; /* backend of the variants that the device runs: "cuda" or "cpu" */
  uint32_t traits;       /* enum device_trait */
  char spec[TEXT_SIZE];  /* "cuda:0", "cpu", "fake:FILE" */
  char name[TEXT_SIZE], uuid[ID_SIZE], driver[ID_SIZE], runtime[ID_SIZE];
  int64_t ordinal, compute_capability, sm_count, l2_bytes, shared_memory_per_block_bytes;
  int64_t memory_bytes, threads;
  double tick_ns; /* resolution of the device's clock in ns */
  /* 1: the device is scripted, that is its times come from a file, and the file also has times for yardsticks (cases
   * that measure the highest rates of a device, such as a plain copy) */
  int64_t ceilings;
};
