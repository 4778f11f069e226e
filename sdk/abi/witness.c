/* Exports one function for each public type, so that abidiff, a tool that compares ABIs, sees all types. No other
 * symbol refers to the tables that plugins get as `const void *`. Only check.sh builds this file. */
#include <gpubench/ext/case.h>
#include <gpubench/ext/cuda.h>
#include <gpubench/ext/device.h>
#include <gpubench/ext/devices.h>
#include <gpubench/ext/graph.h>
#include <gpubench/ext/input.h>
#include <gpubench/ext/mem.h>
#include <gpubench/ext/metric.h>
#include <gpubench/ext/note.h>
#include <gpubench/ext/option.h>
#include <gpubench/ext/progress.h>
#include <gpubench/ext/rng.h>
#include <gpubench/ext/scratch.h>
#include <gpubench/ext/script.h>
#include <gpubench/ext/tensor.h>
#include <gpubench/gpubench.h>

#define WITNESS(type)                              \
  GB_EXPORT void witness_##type(const type *seen); \
  void witness_##type(const type *seen) {          \
    (void)seen;                                    \
  }

WITNESS(gb_status)
WITNESS(gb_plugin)
WITNESS(gb_host)
WITNESS(gb_axis_default)
WITNESS(gb_axis)
WITNESS(gb_preset)
WITNESS(gb_variant)
WITNESS(gb_bench)
WITNESS(gb_work)
WITNESS(gb_case_ext)
WITNESS(gb_cuda_ext)
WITNESS(gb_device_ext)
WITNESS(gb_devices_ext)
WITNESS(gb_graph_node)
WITNESS(gb_graph_edge)
WITNESS(gb_graph_ext)
WITNESS(gb_input_ext)
WITNESS(gb_mem_ext)
WITNESS(gb_metric)
WITNESS(gb_metric_ext)
WITNESS(gb_note_ext)
WITNESS(gb_option)
WITNESS(gb_option_ext)
WITNESS(gb_progress_ext)
WITNESS(gb_rng_ext)
WITNESS(gb_scratch_ext)
WITNESS(gb_script_ext)
WITNESS(gb_tensor)
WITNESS(gb_tensor_ext)
